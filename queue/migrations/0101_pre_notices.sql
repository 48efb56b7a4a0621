-- Notices: what a project's webhook is told beside outcomes. They go out through the outbox like an outcome's effects, in no partition's order.
CREATE TABLE notices (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id int NOT NULL REFERENCES projects,
    kind       text NOT NULL,                         -- the message's type
    key        text NOT NULL,                         -- what it is about: told once
    body       jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT notices_once UNIQUE (project_id, key));
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON notices FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON notices FOR EACH STATEMENT EXECUTE FUNCTION refuse();

ALTER TABLE outbox ALTER COLUMN decision_id DROP NOT NULL;
ALTER TABLE outbox
    ADD COLUMN notice_id bigint REFERENCES notices,   -- instead of a decision
    DROP CONSTRAINT outbox_sound,
    ADD CONSTRAINT outbox_sound CHECK (
        (partition_id IS NULL) = (effect_no IS NULL) AND (state = 'leased') = (lease IS NOT NULL) AND (lease IS NULL) = (lease_until IS NULL)
        AND (state = 'done') = (done_at IS NOT NULL) AND state = ANY ('{pending,leased,done,dead,skipped}'::text[])
        AND (decision_id IS NULL) = (notice_id IS NOT NULL) AND (notice_id IS NULL OR partition_id IS NULL));
CREATE UNIQUE INDEX outbox_notice_once ON outbox (notice_id, effect_id) WHERE notice_id IS NOT NULL;

GRANT SELECT, INSERT ON notices TO claimcheck_web, claimcheck_worker;
GRANT INSERT ON outbox TO claimcheck_worker;

-- Versions that took labels back and that nobody acknowledged, with how often the customer was reminded, where the next reminder is due.
CREATE FUNCTION unacknowledged(every_days int, most int) RETURNS TABLE (dataset_id bigint, project_id int, reminders int) LANGUAGE sql STABLE AS $$
    SELECT r.dataset_id, r.project_id, n.told
      FROM retractions r JOIN dataset_manifests m ON m.dataset_id = r.dataset_id
     CROSS JOIN LATERAL (SELECT count(*)::int AS told FROM notices n WHERE n.project_id = r.project_id AND n.key LIKE 'reminder ' || r.dataset_id || ' %') n
     WHERE m.made_at > clock_timestamp() - make_interval(days => every_days * (most + 2)) AND n.told < most
       AND m.made_at <= clock_timestamp() - make_interval(days => every_days * (n.told + 1))
       AND NOT EXISTS (SELECT FROM dataset_acks k WHERE k.dataset_id = r.dataset_id) $$;
