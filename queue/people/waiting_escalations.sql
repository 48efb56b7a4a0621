-- tasks: how many escalations wait for a lead; counted to a hundred.
SELECT count(*)::int AS waiting FROM (
    SELECT 1 FROM lanes l JOIN LATERAL (SELECT 1 FROM tasks t WHERE t.lane_id = l.id AND t.state = 'pending' LIMIT 100) t ON true
     WHERE l.queue IN ('escalation', 'adjudication') LIMIT 100) AS heads;
