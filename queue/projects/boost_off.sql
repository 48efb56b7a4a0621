-- projects: whether the desk may boost it before its deadline; a lead's word.
WITH changed AS (
    UPDATE projects SET boost_off = %(off)s::boolean WHERE id = %(project_id)s::int AND boost_off <> %(off)s::boolean RETURNING id)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT 'project.boosting', %(me)s::int, id, jsonb_build_object('off', %(off)s::boolean) FROM changed;
