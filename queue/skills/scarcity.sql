-- skills: what each asks for and who is there: looks wanted, the median seconds of one, people at work in six hours and their looks, golds and copies.
SELECT s.id, s.name, s.exam, s.gold_rate, s.novice_rate, s.temperature, s.weighs, need.looks::int AS looks_wanted, pace.median_seconds,
       who.active AS people_active, who.exam AS people_in_exam, who.paused AS people_paused, pace.people AS people_at_work, pace.looks AS looks_in_six_hours,
       pool.live AS golds_live, pool.left AS exposures_left
  FROM skills s
 CROSS JOIN LATERAL (
        SELECT COALESCE(sum(t.wanted - t.n), 0) AS looks
          FROM lanes l CROSS JOIN LATERAL (
                SELECT t.wanted, cardinality(t.votes) AS n FROM tasks t WHERE t.lane_id = l.id AND t.state = 'pending' LIMIT 100000) t
         WHERE l.skill_id = s.id AND NOT l.gold) need
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE k.status = 'active')::int AS active, count(*) FILTER (WHERE k.status = 'exam')::int AS exam,
               count(*) FILTER (WHERE k.status IN ('soft_paused', 'paused'))::int AS paused
          FROM person_skills k JOIN people p ON p.id = k.person_id WHERE k.skill_id = s.id AND p.disabled_at IS NULL) who
 CROSS JOIN LATERAL (
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d.seconds) AS median_seconds, count(DISTINCT d.person_id)::int AS people, count(*)::int AS looks
          FROM person_skills k CROSS JOIN LATERAL (
                SELECT d.person_id, extract(epoch FROM d.created_at - a.claimed_at)::float8 AS seconds
                  FROM decisions d JOIN assignments a ON a.id = d.assignment_id JOIN tasks t ON t.id = d.task_id JOIN lanes l ON l.id = t.lane_id
                 WHERE d.person_id = k.person_id AND d.created_at > clock_timestamp() - interval '6 hours' AND l.skill_id = s.id
                 ORDER BY d.created_at DESC LIMIT 500) d
         WHERE k.skill_id = s.id) pace
 CROSS JOIN LATERAL (
        SELECT count(*)::int AS live, COALESCE(sum(g.max_exposures - g.exposures), 0)::int AS left FROM golds g WHERE g.skill_id = s.id AND g.retired_at IS NULL) pool
 WHERE s.id > 0
 ORDER BY s.name;
