-- projects: served more often, or as before (`boost` 1). Its open tasks take their new ranks by a publisher's sweep.
WITH changed AS (
    UPDATE projects SET boost = %(boost)s::float8, boosted_at = CASE WHEN %(boost)s::float8 > 1 THEN clock_timestamp() END, ranked_version = version - 1
     WHERE id = %(project_id)s::int AND boost <> %(boost)s::float8
    RETURNING id)
INSERT INTO events (kind, person_id, project_id, detail)
SELECT CASE WHEN %(boost)s::float8 > 1 THEN 'project.boosted' ELSE 'project.unboosted' END, %(me)s::int, id, jsonb_build_object('boost', %(boost)s::float8, 'why', %(why)s::text)
  FROM changed;
