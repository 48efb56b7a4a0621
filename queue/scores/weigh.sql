-- scores: the weights of a skill's people, and of one of whom nothing is known (quality/weights). Who weighs less than the floor is held back, where there is gold.
WITH skill AS MATERIALIZED (
    SELECT s.id, CASE WHEN s.weighs AND EXISTS (SELECT FROM golds g WHERE g.skill_id = s.id AND g.retired_at IS NULL) THEN %(floor)s::float8 ELSE 0 END AS floor
      FROM skills s WHERE s.id = %(skill_id)s::int),
given AS MATERIALIZED (
    SELECT * FROM unnest(%(person_ids)s::int[], %(weights)s::float8[]) g(person_id, weight)),
newcomer AS (
    UPDATE skills SET newcomer = %(newcomer)s::float8 WHERE id = %(skill_id)s::int AND newcomer <> %(newcomer)s::float8),
held AS (
    UPDATE person_skills k SET held_back = g.weight < skill.floor, since = clock_timestamp(),
           said = CASE WHEN g.weight < skill.floor THEN 'What you said differs too often from gold and from colleagues: gold only, until that changes.'
                       ELSE 'You are handed live items again.' END
      FROM given g, skill
     WHERE k.skill_id = skill.id AND k.person_id = g.person_id AND k.held_back <> (g.weight < skill.floor) AND k.status = 'active'
    RETURNING k.person_id, k.held_back),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'skill.held_back', 0, jsonb_build_object('person', person_id, 'skill_id', %(skill_id)s::int, 'held_back', held_back) FROM held)
UPDATE scores c SET weight = g.weight
  FROM given g
 WHERE c.skill_id = %(skill_id)s::int AND c.person_id = g.person_id AND c.weight <> g.weight;
