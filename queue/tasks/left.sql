-- tasks: what is left for the caller, what others hold and when the next of those comes back; both counts stop at 200.
WITH me AS MATERIALIZED (
    SELECT id, role FROM people WHERE id = %(me)s::int AND role IN ('reviewer', 'lead')),
lane AS MATERIALIZED (
    SELECT l.id, l.novice FROM me CROSS JOIN LATERAL lanes_of(me.id, me.role) l),
waiting AS (
    SELECT FROM lane CROSS JOIN LATERAL (
        SELECT FROM tasks t WHERE t.lane_id = lane.id AND t.state = 'pending' AND open_to(t, lane.novice, (SELECT clock_timestamp())) AND NOT %(me)s::int = ANY (t.seen_by || t.barred) ORDER BY t.rank LIMIT 200) t
     LIMIT 200),
held AS (
    SELECT a.live_until
      FROM lane CROSS JOIN LATERAL (
        SELECT a.live_until FROM assignments a
         WHERE a.lane_id = lane.id AND a.live_until IS NOT NULL AND a.person_id <> %(me)s::int ORDER BY a.live_until LIMIT 200) a
     LIMIT 200)
SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM held WHERE live_until <= clock_timestamp()) AS waiting,
       (SELECT count(*) FROM held WHERE live_until > clock_timestamp()) AS held,
       (SELECT ceil(extract(epoch FROM min(live_until) - clock_timestamp()))::int FROM held WHERE live_until > clock_timestamp()) AS next_free_seconds,
       (SELECT count(*) FROM decisions WHERE person_id = %(me)s::int AND assignment_id IS NOT NULL AND created_at >= date_trunc('day', clock_timestamp())) AS done_today,
       (SELECT count(*) FROM lane) AS lanes;
