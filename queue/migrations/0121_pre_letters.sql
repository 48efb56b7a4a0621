-- Letters are notices too: each goes to one person's mailbox, through the outbox, as an effect of its project. What alerts tell is known by its alert.
ALTER TABLE notices
    ADD COLUMN alert_id  bigint REFERENCES alerts,
    ADD COLUMN person_id int REFERENCES people;           -- whose mailbox; null: the project's webhook
CREATE INDEX notices_of_alerts ON notices (alert_id) WHERE alert_id IS NOT NULL;
ALTER TABLE effects
    DROP CONSTRAINT effects_kind_check,
    ADD CONSTRAINT effects_kind_check CHECK (kind IN ('standing', 'webhook', 'letter'));
GRANT INSERT (project_id, kind, on_outcomes) ON effects TO claimcheck_worker;   -- no webhook: that one has an address
