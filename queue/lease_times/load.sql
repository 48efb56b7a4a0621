-- lease_times: a project's.
SELECT counted_at, seconds, decided, undecided FROM lease_times WHERE project_id = %(project_id)s::int;
