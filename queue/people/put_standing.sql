-- person_skills: a lead pauses, resumes or re-weighs somebody in a skill, with a reason. A resumption begins the CUSUM anew; labels given before stay as they are.
WITH moved AS (
    UPDATE person_skills k
       SET status = %(status)s::text, tier = %(tier)s::smallint, pinned = %(pinned)s::boolean, said = %(why)s::text, since = clock_timestamp(),
           extra_left = CASE WHEN %(status)s::text = 'soft_paused' THEN greatest(k.extra_left, 5) ELSE 0 END
     WHERE k.person_id = %(person_id)s::int AND k.skill_id = %(skill_id)s::int
    RETURNING k.person_id, k.skill_id, old.status AS was, k.status, old.tier AS was_tier, k.tier),
level AS (
    UPDATE scores c SET level = 0, extra_ok = 0, extra_n = 0, updated_at = clock_timestamp()
      FROM moved WHERE c.person_id = moved.person_id AND c.skill_id = moved.skill_id AND moved.was <> moved.status),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'skill.moved', %(me)s::int, jsonb_build_object('person', person_id, 'skill_id', skill_id, 'from', was, 'to', status, 'from_tier', was_tier, 'to_tier', tier, 'why', %(why)s::text)
      FROM moved)
SELECT person_id FROM moved;
