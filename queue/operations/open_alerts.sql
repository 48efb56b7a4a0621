-- operator_alerts: those that are raised, and the last that are over.
(SELECT id, name, labels, severity, summary, description, raised_at, cleared_at FROM operator_alerts WHERE cleared_at IS NULL ORDER BY id)
 UNION ALL
(SELECT id, name, labels, severity, summary, description, raised_at, cleared_at FROM operator_alerts WHERE cleared_at IS NOT NULL ORDER BY id DESC LIMIT %(past)s::int);
