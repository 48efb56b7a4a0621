-- Functions that several statements share, what may change, and by whom.

-- Fair rank (a virtual clock for each project, lane and priority): the clock moves on by n steps of 1 / (weight × 2^priority) from the rank
-- at the lane's head or from where it stands, whichever is later. Returns the last of the n ranks and the step between them.
CREATE FUNCTION advance_clock(of_project int, of_lane int, of_priority smallint, n int, OUT last float8, OUT step float8) LANGUAGE plpgsql AS $$
BEGIN
    SELECT 1 / (p.weight * 2 ^ of_priority) INTO step FROM projects p WHERE p.id = of_project;
    INSERT INTO project_clocks AS c (project_id, lane_id, priority, clock)
    SELECT of_project, of_lane, of_priority, n * step + COALESCE(
             (SELECT t.rank FROM tasks t WHERE t.lane_id = of_lane AND t.state = 'pending' ORDER BY t.rank LIMIT 1),
             (SELECT max(k.clock) FROM project_clocks k WHERE k.lane_id = of_lane), 0)
        ON CONFLICT (project_id, lane_id, priority) DO UPDATE SET clock = greatest(c.clock + n * step, excluded.clock)
    RETURNING c.clock INTO last;
END $$;

-- The task that follows a task: escalation, adjudication, another round of review, relabel. `parent_id` is unique: a second one is refused.
CREATE FUNCTION raise_task(parent tasks, new_kind text, new_queue text, new_priority int, new_wanted int, new_limit int, new_price bigint, new_barred int[],
                           because text, by_person int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE raised bigint; lane queues; at_priority smallint := least(greatest(new_priority, -10), 30); halted boolean;
BEGIN
    SELECT q.* INTO STRICT lane FROM queues q WHERE q.project_id = parent.project_id AND q.name = new_queue;
    SELECT p.paused_at IS NOT NULL OR lane.paused_at IS NOT NULL INTO halted FROM projects p WHERE p.id = parent.project_id;
    INSERT INTO tasks (item_id, project_id, parent_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor,
                       evidence_version, shown_version, evidence_hash, partition_id, partition_no, paused, barred, cancelled_at)
    SELECT parent.item_id, parent.project_id, parent.id, new_kind, lane.id, lane.lane_id, at_priority,
           (advance_clock(parent.project_id, lane.lane_id, at_priority, 1)).last, clock_timestamp() - at_priority * interval '10 minutes',
           new_wanted, new_limit, new_price, parent.evidence_version, parent.shown_version, parent.evidence_hash, parent.partition_id, parent.partition_no, halted, new_barred,
           parent.cancelled_at
    RETURNING id INTO raised;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, detail)
    VALUES ('task.moved', by_person, parent.project_id, parent.item_id, raised, jsonb_build_object('from', parent.id, 'queue', new_queue, 'because', because));
    RETURN raised;
END $$;

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% of % is refused: rows there are facts', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;

DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['decisions', 'applied', 'payouts', 'events', 'access_events', 'project_versions', 'dead_letters', 'evidence_parts', 'deliveries'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse()', t);
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
        EXECUTE format('GRANT SELECT, INSERT ON %I TO claimcheck_web, claimcheck_worker', t);
    END LOOP;
END $$;
REVOKE INSERT ON applied FROM claimcheck_web;         -- effects are the workers'
REVOKE INSERT ON decisions, payouts, project_versions, dead_letters FROM claimcheck_worker;
CREATE TRIGGER ended_once   BEFORE UPDATE ON assignments FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete    BEFORE DELETE ON assignments FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate  BEFORE TRUNCATE ON assignments FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER ended_once   BEFORE UPDATE ON tasks FOR EACH ROW WHEN (OLD.ended_as IS NOT NULL) EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete    BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete    BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION refuse();

GRANT USAGE ON SCHEMA public TO claimcheck_web, claimcheck_worker;
GRANT SELECT ON customers, people, skills, person_skills, lanes, projects, queues, project_clocks, reason_codes, effects, batches, partitions, items,
                evidence, spool, uploads, tasks, assignments, outbox, standings, reconsiderations, signing_keys TO claimcheck_web, claimcheck_worker;
-- web
GRANT SELECT ON passwords, password_links, sessions, tokens, login_attempts, drafts TO claimcheck_web;
GRANT INSERT ON customers, people, skills, person_skills, passwords, password_links, sessions, tokens, login_attempts, signing_keys, lanes, projects, queues,
                project_clocks, reason_codes, effects, batches, partitions, items, evidence, spool, uploads, tasks, assignments, outbox, drafts,
                reconsiderations TO claimcheck_web;
GRANT DELETE ON person_skills, drafts, login_attempts TO claimcheck_web;
GRANT UPDATE (name, role, customer_id, disabled_at) ON people TO claimcheck_web;
GRANT UPDATE (tier, status) ON person_skills TO claimcheck_web;
GRANT UPDATE (hash, set_at) ON passwords TO claimcheck_web;
GRANT UPDATE (used_at) ON password_links TO claimcheck_web;
GRANT UPDATE (last_seen_at, ended_at) ON sessions TO claimcheck_web;
GRANT UPDATE (revoked_at) ON tokens TO claimcheck_web;
GRANT UPDATE (version, shown_version, wanted, lease_seconds, max_hold_seconds, idle_seconds, abandon_limit, weight, priority, deadline, price_minor, currency,
              paused_at, cancelled_at) ON projects TO claimcheck_web;
GRANT UPDATE (lease_seconds, paused_at, lane_id) ON queues TO claimcheck_web;
GRANT UPDATE (label, retired) ON reason_codes TO claimcheck_web;
GRANT UPDATE (on_outcomes, url, sealed_secret, switched_off) ON effects TO claimcheck_web;
GRANT UPDATE (closed_at) ON batches TO claimcheck_web;
GRANT UPDATE (trace_id) ON items TO claimcheck_web;
GRANT UPDATE (body, saved_at) ON drafts TO claimcheck_web;
GRANT UPDATE (answered_by, answer, answered_at) ON reconsiderations TO claimcheck_web;
GRANT UPDATE (lease_expires, ended_at, end_reason) ON assignments TO claimcheck_web;
GRANT UPDATE (clock) ON project_clocks TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (accepted_no, last_no, settled_no, promoted_no, effect_no, applied_no) ON partitions TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (priority, rank, since, queue_id, lane_id, wanted, evidence_version, shown_version, evidence_hash, waits, paused, seen_by, skipped_by, barred, votes, lease_count,
              ended_as, ended_at, cancelled_at) ON tasks TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (state, attempts, pushes, due, push_due, lease, lease_until, last_error, done_at) ON outbox TO claimcheck_web, claimcheck_worker;
-- worker
GRANT INSERT ON tasks, project_clocks, standings, signing_keys TO claimcheck_worker;
GRANT UPDATE (decision_id, outcome, times, since) ON standings TO claimcheck_worker;
GRANT UPDATE (evidence_version) ON items TO claimcheck_worker;
GRANT UPDATE (published_at, publish_until, attempts, last_error) ON evidence TO claimcheck_worker;
GRANT UPDATE (switched_off) ON effects TO claimcheck_worker;
GRANT DELETE ON spool TO claimcheck_worker;
