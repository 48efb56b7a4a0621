-- alerts: projects with a deadline and something open, or in danger when they were last spoken of, and what was said then.
SELECT p.id AS project_id, COALESCE(last.state, 'on_time') AS state, COALESCE(last.no, 0) AS no
  FROM projects p
  LEFT JOIN LATERAL (SELECT a.state, a.no FROM alerts a WHERE a.project_id = p.id ORDER BY a.no DESC LIMIT 1) last ON true
 WHERE p.deadline IS NOT NULL AND p.cancelled_at IS NULL
   AND (last.state IN ('at_risk', 'late') AND p.deadline > clock_timestamp() OR EXISTS (SELECT FROM tasks t WHERE t.open_in = p.id) OR EXISTS (SELECT FROM items i WHERE i.not_durable_in = p.id));
