-- batch_decisions: one, with the names that go with it and what came of its members so far.
SELECT b.id, b.project_id, p.name AS project, b.project_version, b.led_by, l.name AS lead, b.same, b.verdict, b.answer, b.reason_code, b.note, b.at_most, b.confidence,
       b.undo_seconds, b.most, b.tolerate, b.state, b.version, b.members, b.seed, b.nth, b.sample_size, b.looked, b.wrong, b.rest, b.upper, b.why, b.created_at, b.undo_until,
       clock_timestamp() AS server_now,
       p.four_eyes IS NOT NULL OR COALESCE(jsonb_array_length(v.rules -> 'four_eyes') > 0, false) AS blind, ends.decided, ends.opened, ends.stale, taken.undone
  FROM batch_decisions b JOIN projects p ON p.id = b.project_id JOIN people l ON l.id = b.led_by
  JOIN project_versions v ON v.project_id = b.project_id AND v.version = b.project_version
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE e.came_to = 'decided')::int AS decided, count(*) FILTER (WHERE e.came_to = 'opened')::int AS opened,
               count(*) FILTER (WHERE e.came_to = 'stale')::int AS stale
          FROM batch_ends e WHERE e.batch_id = b.id) ends
 CROSS JOIN LATERAL (SELECT count(*)::int AS undone FROM batch_undone u WHERE u.batch_id = b.id) taken
 WHERE b.id = %(batch_id)s::bigint;
