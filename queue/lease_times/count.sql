-- lease_times: how long the desk's latest leases lasted until they were decided, ended or ran out, by project and whole second; unless that was counted lately.
INSERT INTO lease_times AS l (project_id, seconds, decided, undecided)
SELECT n.project_id, array_agg(n.seconds ORDER BY n.seconds), array_agg(n.decided ORDER BY n.seconds), array_agg(n.undecided ORDER BY n.seconds)
  FROM (SELECT t.project_id, a.seconds, count(*) FILTER (WHERE a.decided)::int AS decided, count(*) FILTER (WHERE NOT a.decided)::int AS undecided
          FROM (SELECT a.task_id, COALESCE(a.end_reason = 'submitted', false) AS decided,
                       greatest(1, ceil(extract(epoch FROM least(COALESCE(a.ended_at, clock_timestamp()), a.lease_expires) - a.claimed_at)))::int AS seconds
                  FROM assignments a ORDER BY a.id DESC LIMIT %(latest)s::int) a
          JOIN tasks t ON t.id = a.task_id
         WHERE t.kind IN ('review', 'gold', 'relabel')
         GROUP BY t.project_id, a.seconds) n
 WHERE NOT EXISTS (SELECT FROM lease_times WHERE counted_at > clock_timestamp() - %(seconds)s::float8 * interval '1 s')
 GROUP BY n.project_id
    ON CONFLICT (project_id) DO UPDATE
   SET seconds = excluded.seconds, decided = excluded.decided, undecided = excluded.undecided, counted_at = excluded.counted_at;
