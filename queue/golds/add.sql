-- golds: an item's answer becomes known. The label goes where no reviewer's request reaches; who has the skill is measured from now on.
WITH made AS (
    INSERT INTO golds (item_id, project_id, skill_id, origin, max_exposures, made_by)
    SELECT i.id, i.project_id, p.skill_id, %(origin)s::text, %(max_exposures)s::smallint, %(me)s::int
      FROM items i JOIN projects p ON p.id = i.project_id
     WHERE i.id = %(item_id)s::bigint AND i.evidence_version > 0 AND NOT i.gold
        ON CONFLICT (item_id) DO NOTHING
    RETURNING id, item_id, project_id, skill_id),
label AS (
    INSERT INTO gold_labels (gold_id, accepted, note) SELECT id, %(accepted)s::text[], %(note)s::text FROM made),
watched AS (
    UPDATE person_skills s SET gold_every = greatest(round(1 / NULLIF(k.novice_rate, 0)), 1)
      FROM made JOIN skills k ON k.id = made.skill_id WHERE s.skill_id = made.skill_id AND s.gold_every = 0 AND k.novice_rate > 0),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, detail)
    SELECT 'gold.made', %(me)s::int, project_id, item_id, jsonb_build_object('gold', id, 'origin', %(origin)s::text) FROM made)
SELECT id FROM made;
