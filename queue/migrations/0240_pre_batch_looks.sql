-- What a batch decision's pages tell of hundreds of items is kept as it happens, so that a page reads its own rows and not every task and decision again.

-- What a member came to while its lead looks at the sample: its lead's look, or nothing (no decision), once.
CREATE TABLE batch_looks (
    batch_id    bigint NOT NULL REFERENCES batch_decisions,
    n           int NOT NULL,
    decision_id bigint REFERENCES decisions,
    differs     boolean NOT NULL,                         -- from what is proposed for all
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT batch_looks_once PRIMARY KEY (batch_id, n),
    FOREIGN KEY (batch_id, n) REFERENCES batch_members (batch_id, n),
    CONSTRAINT batch_looks_sound CHECK (decision_id IS NOT NULL OR NOT differs));

-- Which outcomes of a batch decision were taken back, once each.
CREATE TABLE batch_undone (
    batch_id    bigint NOT NULL REFERENCES batch_decisions,
    n           int NOT NULL,
    decision_id bigint NOT NULL REFERENCES decisions,
    CONSTRAINT batch_undone_once PRIMARY KEY (batch_id, n),
    FOREIGN KEY (batch_id, n) REFERENCES batch_members (batch_id, n));

CREATE INDEX batch_members_task ON batch_members (task_id);
CREATE INDEX batch_ends_came_to ON batch_ends (batch_id, came_to, n);
CREATE INDEX bulk_overturn_ends_came_to ON bulk_overturn_ends (bulk_id, came_to, n);
CREATE INDEX item_action_ends_refused ON item_action_ends (action_id, n) WHERE NOT done;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_looks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_looks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON batch_undone FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON batch_undone FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_looks, batch_undone TO claimcheck_web, claimcheck_worker;

-- What a task that a list holds came to; `t` as it stands now, in batch `of_batch`. What is no look of the lead's under the evidence of the list came to nothing.
CREATE FUNCTION keep_look(t tasks, of_batch bigint) RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
    INSERT INTO batch_looks (batch_id, n, decision_id, differs)
    SELECT m.batch_id, m.n, look.id, look.id IS NOT NULL AND (look.verdict, look.answer) IS DISTINCT FROM (b.verdict, b.answer)
      FROM batch_decisions b JOIN batch_members m ON m.batch_id = b.id AND m.task_id = t.id
      LEFT JOIN decisions look ON look.item_id = m.item_id AND look.task_id = m.task_id AND look.person_id = b.led_by AND look.assignment_id IS NOT NULL
                              AND look.evidence_hash = m.evidence_hash
     WHERE b.id = of_batch AND b.state IN ('gathering', 'sampling')
       AND (look.id IS NOT NULL OR t.ended_as IS NOT NULL OR t.cancelled_at IS NOT NULL OR t.evidence_hash <> m.evidence_hash OR t.held_for IS DISTINCT FROM m.batch_id)
        ON CONFLICT DO NOTHING $$;
CREATE FUNCTION keep_look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN PERFORM keep_look(NEW, OLD.held_for); RETURN NULL; END $$;
CREATE TRIGGER keep_look AFTER UPDATE OF ended_as, cancelled_at, evidence_hash, held_for ON tasks FOR EACH ROW WHEN (OLD.held_for IS NOT NULL) EXECUTE FUNCTION keep_look();

CREATE FUNCTION keep_undone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO batch_undone (batch_id, n, decision_id) SELECT batch_id, n, NEW.id FROM batch_ends WHERE decision_id = NEW.supersedes AND came_to = 'decided';
    RETURN NULL;
END $$;
CREATE TRIGGER keep_undone AFTER INSERT ON decisions FOR EACH ROW WHEN (NEW.supersedes IS NOT NULL AND NEW.reason_code = 'desk.undone') EXECUTE FUNCTION keep_undone();

-- Those from before this.
SELECT keep_look(t, m.batch_id) FROM batch_decisions b JOIN batch_members m ON m.batch_id = b.id JOIN tasks t ON t.id = m.task_id WHERE b.state IN ('gathering', 'sampling');
INSERT INTO batch_looks (batch_id, n, decision_id, differs)
SELECT m.batch_id, m.n, look.id, look.id IS NOT NULL AND (look.verdict, look.answer) IS DISTINCT FROM (b.verdict, b.answer)
  FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = d.batch_id AND m.n = d.n
  LEFT JOIN decisions look ON look.item_id = m.item_id AND look.task_id = m.task_id AND look.person_id = b.led_by AND look.assignment_id IS NOT NULL
                          AND look.evidence_hash = m.evidence_hash
 WHERE b.state NOT IN ('gathering', 'sampling', 'dropping', 'dropped');
INSERT INTO batch_undone (batch_id, n, decision_id)
SELECT e.batch_id, e.n, later.id FROM batch_ends e JOIN decisions later ON later.supersedes = e.decision_id AND later.reason_code = 'desk.undone' WHERE e.came_to = 'decided';
