-- control: outcomes that are not applied everywhere, those that were given up among them, and the dead letters that nobody has replayed, by code.
UPDATE control_desk
   SET (unapplied, given_up, oldest_unapplied) = (
           SELECT count(DISTINCT decision_id), count(DISTINCT decision_id) FILTER (WHERE state = 'dead'), min(greatest(created_at, not_before))
             FROM outbox WHERE state IN ('pending', 'leased', 'dead') AND decision_id IS NOT NULL),
       (letters, oldest_letter) = (
           SELECT COALESCE(jsonb_object_agg(code, n), '{}'), min(oldest)
             FROM (SELECT code, count(*) AS n, min(created_at) AS oldest FROM dead_letters_open GROUP BY code) l);
