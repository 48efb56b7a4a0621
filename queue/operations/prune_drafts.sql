-- drafts: those older than so many days, and not of something that is held now, are thrown away, 500 at a time, on record.
WITH old AS MATERIALIZED (
    SELECT d.task_id, d.person_id FROM drafts d
     WHERE d.saved_at < clock_timestamp() - make_interval(days => %(days)s::int)
       AND NOT EXISTS (SELECT FROM assignments a WHERE a.task_id = d.task_id AND a.person_id = d.person_id AND a.ended_at IS NULL)
     LIMIT 500 FOR UPDATE SKIP LOCKED),
gone AS (
    DELETE FROM drafts d USING old WHERE d.task_id = old.task_id AND d.person_id = old.person_id RETURNING d.task_id),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'operations.drafts_pruned', %(me)s::int, jsonb_build_object('count', count(*), 'days', %(days)s::int, 'reason', %(reason)s::text) FROM gone HAVING count(*) > 0)
SELECT count(*)::int AS n FROM gone;
