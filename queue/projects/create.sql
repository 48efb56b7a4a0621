-- projects: none → open, unless the customer has one of this name.
WITH made AS (
    INSERT INTO projects (customer_id, name, skill_id, wanted, lease_seconds, max_hold_seconds, idle_seconds, abandon_limit, weight, priority, deadline,
                          price_minor, currency, four_eyes, created_by)
    SELECT %(customer_id)s::int, %(name)s::text, s.id, %(wanted)s::smallint, %(lease_seconds)s::int, %(max_hold_seconds)s::int, %(idle_seconds)s::int,
           %(abandon_limit)s::smallint, %(weight)s::float8, %(priority)s::smallint, %(deadline)s::timestamptz, %(price_minor)s::bigint, %(currency)s::text, %(four_eyes)s::jsonb,
           %(me)s::int
      FROM skills s WHERE s.name = %(skill)s::text
        ON CONFLICT ON CONSTRAINT projects_name_once DO NOTHING
    RETURNING id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'project.created', %(me)s::int, id, jsonb_build_object('name', %(name)s::text) FROM made)
SELECT id FROM made;
