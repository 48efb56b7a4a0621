-- control: day by day how many leases the tasks that ended had had, of a project or (0) of the whole desk.
SELECT day, leases, tasks
  FROM control_leases WHERE project_id = %(project_id)s::int AND day > ((SELECT clock_timestamp()) AT TIME ZONE 'UTC')::date - %(days)s::int ORDER BY day, leases;
