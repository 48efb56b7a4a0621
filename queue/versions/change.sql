-- projects: rules → the next version's.
WITH changed AS (
    UPDATE projects
       SET version = %(version)s::int, shown_version = %(shown_version)s::int, wanted = %(wanted)s::smallint, lease_seconds = %(lease_seconds)s::int,
           max_hold_seconds = %(max_hold_seconds)s::int, idle_seconds = %(idle_seconds)s::int, abandon_limit = %(abandon_limit)s::smallint,
           weight = %(weight)s::float8, priority = %(priority)s::smallint, deadline = %(deadline)s::timestamptz, price_minor = %(price_minor)s::bigint,
           currency = %(currency)s::text, four_eyes = %(four_eyes)s::jsonb,
           ranked_version = CASE WHEN ranked_version = version AND NOT %(ranks)s::boolean THEN %(version)s::int ELSE ranked_version END,
           sweep_until = CASE WHEN %(ranks)s::boolean THEN clock_timestamp() + make_interval(secs => %(seconds)s::float8) ELSE sweep_until END
     WHERE id = %(project_id)s::int
    RETURNING id, version)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'project.changed', %(me)s::int, id, jsonb_build_object('version', version, 'why', %(why)s::text, 'fields', %(fields)s::text[]) FROM changed;
