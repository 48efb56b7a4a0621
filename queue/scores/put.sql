-- scores: what gold says of a person in a skill, and their standing that follows from it.
WITH score AS (
    UPDATE scores
       SET ok = %(ok)s::int, n = %(n)s::int, exam_ok = %(exam_ok)s::int, exam_n = %(exam_n)s::int, level = %(level)s::float8, alarms = %(alarms)s::smallint,
           extra_ok = %(extra_ok)s::smallint, extra_n = %(extra_n)s::smallint, mean = %(mean)s::float8, low = %(low)s::float8, high = %(high)s::float8,
           updated_at = clock_timestamp()
     WHERE person_id = %(person_id)s::int AND skill_id = %(skill_id)s::int),
moved AS (
    UPDATE person_skills k
       SET status = %(status)s::text, tier = %(tier)s::smallint, novice = %(novice)s::boolean, gold_every = %(gold_every)s::smallint, extra_left = %(extra_left)s::smallint,
           said = CASE WHEN %(said)s::text IS NULL THEN k.said ELSE %(said)s::text END,
           since = CASE WHEN k.status <> %(status)s::text OR k.tier <> %(tier)s::smallint THEN clock_timestamp() ELSE k.since END
     WHERE k.person_id = %(person_id)s::int AND k.skill_id = %(skill_id)s::int
    RETURNING old.status AS was, k.status, old.tier AS was_tier, k.tier)
INSERT INTO events (kind, person_id, detail)
SELECT 'skill.moved', 0, jsonb_build_object('person', %(person_id)s::int, 'skill_id', %(skill_id)s::int, 'from', was, 'to', status, 'from_tier', was_tier, 'to_tier', tier,
                                            'why', %(said)s::text)
  FROM moved WHERE was <> status OR was_tier <> tier;
