-- operator_notices: the one that is due first is somebody's for so many seconds.
WITH pick AS MATERIALIZED (
    SELECT n.id FROM operator_notices n WHERE n.state = 'pending' AND n.due <= (SELECT clock_timestamp()) ORDER BY n.due LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
UPDATE operator_notices n SET due = clock_timestamp() + make_interval(secs => %(seconds)s::float8), attempts = n.attempts + 1
  FROM pick, operator_alerts a WHERE n.id = pick.id AND a.id = n.alert_id
RETURNING n.id AS notice_id, n.attempts AS attempt, n.over, n.person_id, a.id AS alert_id, a.name, a.labels, a.severity, a.summary, a.description, a.raised_at, a.cleared_at,
          (SELECT p.name FROM people p WHERE p.id = n.person_id) AS person,
          (SELECT p.email FROM people p WHERE p.id = n.person_id AND p.disabled_at IS NULL) AS email;
