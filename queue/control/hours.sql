-- control: hour by hour what came, what was settled and what was open, of a project or (0) of the whole desk.
SELECT hour, arrived, settled, reopened, open
  FROM control_hours WHERE project_id = %(project_id)s::int AND hour > (SELECT clock_timestamp()) - make_interval(hours => %(hours)s::int) ORDER BY hour;
