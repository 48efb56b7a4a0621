-- What queue/migrations/ end at. Written by `bin/claimcheck schema --write`; a test compares it with a migrated database.

CREATE TABLE access_days (
    person_id integer NOT NULL,
    day date NOT NULL,
    views integer NOT NULL,
    items integer NOT NULL,
    hours jsonb NOT NULL);
ALTER TABLE access_days ADD CONSTRAINT access_days_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE access_days ADD CONSTRAINT access_days_pkey PRIMARY KEY (person_id, day);
CREATE INDEX access_days_day ON public.access_days USING btree (day) INCLUDE (person_id, items);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.access_days FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.access_days FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON access_days TO claimcheck_web;
GRANT SELECT ON access_days TO claimcheck_web;
GRANT INSERT ON access_days TO claimcheck_worker;
GRANT SELECT ON access_days TO claimcheck_worker;

CREATE TABLE access_events (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    person_id integer NOT NULL,
    item_id bigint NOT NULL,
    evidence_version integer NOT NULL,
    part text NOT NULL,
    purpose text NOT NULL,
    field text,
    customer_id integer,
    gold boolean NOT NULL DEFAULT false);
ALTER TABLE access_events ADD CONSTRAINT access_events_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id);
ALTER TABLE access_events ADD CONSTRAINT access_events_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE access_events ADD CONSTRAINT access_events_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE access_events ADD CONSTRAINT access_events_pkey PRIMARY KEY (id);
CREATE INDEX access_events_at ON public.access_events USING brin (at) WITH (pages_per_range='16');
CREATE INDEX access_events_copies ON public.access_events USING btree (customer_id, at) WHERE gold;
CREATE INDEX access_events_customer ON public.access_events USING btree (customer_id, at, id);
CREATE INDEX access_events_item ON public.access_events USING btree (item_id, id);
CREATE INDEX access_events_person ON public.access_events USING btree (person_id, at, id);
CREATE INDEX access_events_sight ON public.access_events USING btree (customer_id, person_id, at, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.access_events FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.access_events FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER whose BEFORE INSERT ON public.access_events FOR EACH ROW EXECUTE FUNCTION whose_data();
GRANT INSERT ON access_events TO claimcheck_web;
GRANT SELECT ON access_events TO claimcheck_web;
GRANT INSERT ON access_events TO claimcheck_worker;
GRANT SELECT ON access_events TO claimcheck_worker;

CREATE TABLE alerts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    no integer NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL,
    was text NOT NULL,
    deadline timestamp with time zone NOT NULL,
    miss_probability double precision,
    eta timestamp with time zone,
    eta_low timestamp with time zone,
    eta_high timestamp with time zone,
    open_items integer NOT NULL,
    skill text,
    experts integer,
    items integer);
ALTER TABLE alerts ADD CONSTRAINT alerts_check CHECK ((state <> was));
ALTER TABLE alerts ADD CONSTRAINT alerts_in_order UNIQUE (project_id, no);
ALTER TABLE alerts ADD CONSTRAINT alerts_miss_probability_check CHECK (((miss_probability >= (0)::double precision) AND (miss_probability <= (1)::double precision)));
ALTER TABLE alerts ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);
ALTER TABLE alerts ADD CONSTRAINT alerts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE alerts ADD CONSTRAINT alerts_state_check CHECK ((state = ANY (ARRAY['on_time'::text, 'at_risk'::text, 'late'::text])));
ALTER TABLE alerts ADD CONSTRAINT alerts_was_check CHECK ((was = ANY (ARRAY['on_time'::text, 'at_risk'::text, 'late'::text])));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.alerts FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.alerts FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON alerts TO claimcheck_web;
GRANT INSERT ON alerts TO claimcheck_worker;
GRANT SELECT ON alerts TO claimcheck_worker;

CREATE TABLE appeals (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    person_id integer NOT NULL,
    skill_id integer NOT NULL,
    note text NOT NULL,
    asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    answered_by integer,
    answer text,
    answered_at timestamp with time zone);
ALTER TABLE appeals ADD CONSTRAINT appeals_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES people(id);
ALTER TABLE appeals ADD CONSTRAINT appeals_check CHECK ((num_nulls(answered_by, answer, answered_at) = ANY (ARRAY[0, 3])));
ALTER TABLE appeals ADD CONSTRAINT appeals_note_check CHECK (((length(note) >= 1) AND (length(note) <= 2000)));
ALTER TABLE appeals ADD CONSTRAINT appeals_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE appeals ADD CONSTRAINT appeals_pkey PRIMARY KEY (id);
ALTER TABLE appeals ADD CONSTRAINT appeals_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
CREATE UNIQUE INDEX appeals_open ON public.appeals USING btree (person_id, skill_id) WHERE (answered_at IS NULL);
CREATE INDEX appeals_person ON public.appeals USING btree (person_id, skill_id, id);
GRANT INSERT ON appeals TO claimcheck_web;
GRANT SELECT ON appeals TO claimcheck_web;
GRANT SELECT ON appeals TO claimcheck_worker;
GRANT UPDATE (answer, answered_at, answered_by) ON appeals TO claimcheck_web;

CREATE TABLE applied (
    decision_id bigint NOT NULL,
    effect_id integer NOT NULL,
    applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE applied ADD CONSTRAINT applied_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE applied ADD CONSTRAINT applied_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE applied ADD CONSTRAINT applied_once PRIMARY KEY (decision_id, effect_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.applied FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.applied FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON applied TO claimcheck_web;
GRANT INSERT ON applied TO claimcheck_worker;
GRANT SELECT ON applied TO claimcheck_worker;

CREATE TABLE approvals (
    id bigint NOT NULL,
    item_id bigint NOT NULL,
    project_id integer NOT NULL,
    overturns boolean NOT NULL,
    task_id bigint NOT NULL,
    decider_id bigint,
    state text NOT NULL DEFAULT 'pending'::text,
    version integer NOT NULL DEFAULT 1,
    moved_by integer NOT NULL,
    moved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    decision_id bigint,
    open_item bigint GENERATED ALWAYS AS (
CASE
    WHEN (state <> ALL (ARRAY['resolved'::text, 'voided'::text])) THEN item_id
    ELSE NULL::bigint
END) STORED,
    action_id bigint);
ALTER TABLE approvals ADD CONSTRAINT approvals_action_id_fkey FOREIGN KEY (action_id) REFERENCES item_actions(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_decider_id_fkey FOREIGN KEY (decider_id) REFERENCES tasks(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_decider_id_key UNIQUE (decider_id);
ALTER TABLE approvals ADD CONSTRAINT approvals_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_id_fkey FOREIGN KEY (id) REFERENCES proposals(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_moved_by_fkey FOREIGN KEY (moved_by) REFERENCES people(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);
ALTER TABLE approvals ADD CONSTRAINT approvals_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_sound CHECK ((((decision_id IS NULL) OR (state = 'resolved'::text)) AND ((state <> 'rejected'::text) OR (decider_id IS NOT NULL)) AND ((decider_id IS NULL) OR (state = ANY (ARRAY['rejected'::text, 'resolved'::text, 'voided'::text])))));
ALTER TABLE approvals ADD CONSTRAINT approvals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'resolved'::text, 'voided'::text])));
ALTER TABLE approvals ADD CONSTRAINT approvals_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_task_id_key UNIQUE (task_id);
CREATE INDEX approvals_item ON public.approvals USING btree (item_id);
CREATE INDEX approvals_of_action ON public.approvals USING btree (action_id) WHERE ((open_item IS NOT NULL) AND (action_id IS NOT NULL));
CREATE UNIQUE INDEX approvals_one_open ON public.approvals USING btree (open_item) WHERE (open_item IS NOT NULL);
CREATE INDEX approvals_waiting ON public.approvals USING btree (id) INCLUDE (project_id, asked_at, state) WHERE (open_item IS NOT NULL);
CREATE TRIGGER moved BEFORE INSERT OR UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION approval_move();
CREATE TRIGGER no_delete BEFORE DELETE ON public.approvals FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER retraction_due AFTER UPDATE OF state ON public.approvals FOR EACH ROW WHEN ((new.overturns AND (new.state = ANY (ARRAY['resolved'::text, 'voided'::text])))) EXECUTE FUNCTION retraction_due();
GRANT INSERT ON approvals TO claimcheck_web;
GRANT SELECT ON approvals TO claimcheck_web;
GRANT SELECT ON approvals TO claimcheck_worker;
GRANT UPDATE (decider_id, decision_id, moved_at, moved_by, state, version) ON approvals TO claimcheck_web;

CREATE TABLE assignments (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    task_id bigint NOT NULL,
    item_id bigint NOT NULL,
    person_id integer NOT NULL,
    lane_id integer NOT NULL,
    token uuid NOT NULL DEFAULT gen_random_uuid(),
    lease_no integer NOT NULL,
    evidence_version integer NOT NULL,
    evidence_hash bytea NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    lease_seconds integer NOT NULL,
    idle_seconds integer NOT NULL,
    hold_until timestamp with time zone NOT NULL,
    lease_expires timestamp with time zone NOT NULL,
    may_be_last boolean NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    live_until timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN (ended_at IS NULL) THEN lease_expires
    ELSE NULL::timestamp with time zone
END) STORED,
    last_until timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN ((ended_at IS NULL) AND may_be_last) THEN lease_expires
    ELSE NULL::timestamp with time zone
END) STORED);
ALTER TABLE assignments ADD CONSTRAINT assignments_ended_in_time CHECK (((end_reason <> ALL (ARRAY['released'::text, 'skipped'::text])) OR (ended_at < lease_expires)));
ALTER TABLE assignments ADD CONSTRAINT assignments_expired_late CHECK (((end_reason <> 'expired'::text) OR (ended_at >= lease_expires)));
ALTER TABLE assignments ADD CONSTRAINT assignments_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);
ALTER TABLE assignments ADD CONSTRAINT assignments_sound CHECK ((((ended_at IS NULL) = (end_reason IS NULL)) AND (ended_at >= claimed_at) AND (lease_expires <= hold_until) AND (end_reason = ANY ('{submitted,released,skipped,expired,revoked}'::text[]))));
ALTER TABLE assignments ADD CONSTRAINT assignments_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_task_id_lease_no_key UNIQUE (task_id, lease_no);
CREATE INDEX assignments_expiry ON public.assignments USING btree (lane_id, live_until) WHERE (live_until IS NOT NULL);
CREATE INDEX assignments_last ON public.assignments USING btree (last_until) WHERE (last_until IS NOT NULL);
CREATE UNIQUE INDEX assignments_one_live ON public.assignments USING btree (person_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX assignments_one_look ON public.assignments USING btree (task_id, person_id) WHERE ((end_reason IS NULL) OR (end_reason = 'submitted'::text));
CREATE TRIGGER ended_once BEFORE UPDATE ON public.assignments FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION refuse();
CREATE TRIGGER no_delete BEFORE DELETE ON public.assignments FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.assignments FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON assignments TO claimcheck_web;
GRANT SELECT ON assignments TO claimcheck_web;
GRANT SELECT ON assignments TO claimcheck_worker;
GRANT UPDATE (end_reason, ended_at, lease_expires) ON assignments TO claimcheck_web;

CREATE TABLE batch_decisions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    project_version integer NOT NULL,
    led_by integer NOT NULL,
    same text[] NOT NULL,
    verdict text,
    answer jsonb,
    reason_code text NOT NULL,
    note text NOT NULL,
    at_most double precision NOT NULL,
    confidence double precision NOT NULL,
    undo_seconds integer NOT NULL,
    most integer NOT NULL,
    tolerate integer NOT NULL,
    sample_asked integer,
    state text NOT NULL DEFAULT 'gathering'::text,
    version integer NOT NULL DEFAULT 1,
    looked_to bigint NOT NULL DEFAULT 0,
    members integer NOT NULL DEFAULT 0,
    seed text,
    sample_size integer,
    drawn integer NOT NULL DEFAULT 0,
    looked integer,
    wrong integer,
    rest integer,
    upper integer,
    why text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    touched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    undo_until timestamp with time zone,
    undone_by integer,
    nth integer);
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_bound_met CHECK (((state <> ALL (ARRAY['deciding'::text, 'decided'::text, 'undoing'::text, 'undone'::text])) OR (((upper)::double precision <= (at_most * (rest)::double precision)) IS TRUE)));
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_counted CHECK (((seed IS NULL) = (nth IS NULL)));
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_led_by_fkey FOREIGN KEY (led_by) REFERENCES people(id);
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_pkey PRIMARY KEY (id);
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_sound CHECK (((state = ANY ('{gathering,sampling,deciding,decided,undoing,undone,dropping,dropped}'::text[])) AND (cardinality(same) = 5) AND (num_nonnulls(verdict, answer) = 1) AND (verdict = ANY ('{approve,reject}'::text[])) AND (at_most > (0)::double precision) AND (at_most < (1)::double precision) AND (confidence >= (0.5)::double precision) AND (confidence < (1)::double precision) AND ((undo_seconds >= 0) AND (undo_seconds <= 86400)) AND (members <= most) AND ((most >= 1) AND (most <= 5000)) AND ((tolerate >= 0) AND (tolerate <= 5)) AND ((seed IS NULL) = (sample_size IS NULL))));
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_undone_by CHECK (((state <> ALL (ARRAY['undoing'::text, 'undone'::text])) OR (undone_by IS NOT NULL)));
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_undone_by_fkey FOREIGN KEY (undone_by) REFERENCES people(id);
CREATE INDEX batch_decisions_project ON public.batch_decisions USING btree (project_id, id);
CREATE INDEX batch_decisions_work ON public.batch_decisions USING btree (touched_at) WHERE (state = ANY (ARRAY['gathering'::text, 'sampling'::text, 'deciding'::text, 'undoing'::text, 'dropping'::text]));
CREATE TRIGGER judge_batch BEFORE UPDATE ON public.batch_decisions FOR EACH ROW WHEN ((((old.state = 'gathering'::text) AND (new.state = 'sampling'::text)) OR ((old.state = 'sampling'::text) AND (new.state = 'deciding'::text)))) EXECUTE FUNCTION judge_batch();
CREATE TRIGGER move_batch BEFORE UPDATE ON public.batch_decisions FOR EACH ROW EXECUTE FUNCTION move_batch();
CREATE TRIGGER no_delete BEFORE DELETE ON public.batch_decisions FOR EACH ROW EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_decisions TO claimcheck_web;
GRANT SELECT ON batch_decisions TO claimcheck_worker;
GRANT INSERT (answer, at_most, confidence, led_by, most, note, project_id, project_version, reason_code, same, sample_asked, tolerate, undo_seconds, verdict) ON batch_decisions TO claimcheck_web;
GRANT UPDATE (drawn, looked, looked_to, rest, state, touched_at, undone_by, upper, version, why, wrong) ON batch_decisions TO claimcheck_web;
GRANT UPDATE (drawn, looked_to, members, sample_size, seed, state, touched_at, undo_until, version, why) ON batch_decisions TO claimcheck_worker;

CREATE TABLE batch_draws (
    batch_id bigint NOT NULL,
    place integer NOT NULL,
    n integer NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE batch_draws ADD CONSTRAINT batch_draws_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_draws ADD CONSTRAINT batch_draws_batch_id_n_fkey FOREIGN KEY (batch_id, n) REFERENCES batch_members(batch_id, n);
ALTER TABLE batch_draws ADD CONSTRAINT batch_draws_pkey PRIMARY KEY (batch_id, place);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_draws FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_draws FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON batch_draws TO claimcheck_web;
GRANT SELECT ON batch_draws TO claimcheck_web;
GRANT INSERT ON batch_draws TO claimcheck_worker;
GRANT SELECT ON batch_draws TO claimcheck_worker;

CREATE TABLE batch_ends (
    batch_id bigint NOT NULL,
    n integer NOT NULL,
    came_to text NOT NULL,
    why text,
    decision_id bigint,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_batch_id_n_fkey FOREIGN KEY (batch_id, n) REFERENCES batch_members(batch_id, n);
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_came_to_check CHECK ((came_to = ANY (ARRAY['decided'::text, 'opened'::text, 'stale'::text])));
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_once PRIMARY KEY (batch_id, n);
ALTER TABLE batch_ends ADD CONSTRAINT batch_ends_sound CHECK ((((came_to = 'stale'::text) = (why IS NOT NULL)) AND ((came_to = 'stale'::text) = (decision_id IS NULL))));
CREATE INDEX batch_ends_came_to ON public.batch_ends USING btree (batch_id, came_to, n);
CREATE UNIQUE INDEX batch_ends_decision ON public.batch_ends USING btree (decision_id) WHERE (decision_id IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_ends TO claimcheck_web;
GRANT SELECT ON batch_ends TO claimcheck_worker;

CREATE TABLE batch_looks (
    batch_id bigint NOT NULL,
    n integer NOT NULL,
    decision_id bigint,
    differs boolean NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE batch_looks ADD CONSTRAINT batch_looks_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_looks ADD CONSTRAINT batch_looks_batch_id_n_fkey FOREIGN KEY (batch_id, n) REFERENCES batch_members(batch_id, n);
ALTER TABLE batch_looks ADD CONSTRAINT batch_looks_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE batch_looks ADD CONSTRAINT batch_looks_once PRIMARY KEY (batch_id, n);
ALTER TABLE batch_looks ADD CONSTRAINT batch_looks_sound CHECK (((decision_id IS NOT NULL) OR (NOT differs)));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_looks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_looks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_looks TO claimcheck_web;
GRANT SELECT ON batch_looks TO claimcheck_worker;

CREATE TABLE batch_members (
    batch_id bigint NOT NULL,
    n integer NOT NULL,
    item_id bigint NOT NULL,
    task_id bigint NOT NULL,
    evidence_hash bytea NOT NULL);
ALTER TABLE batch_members ADD CONSTRAINT batch_members_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_members ADD CONSTRAINT batch_members_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE batch_members ADD CONSTRAINT batch_members_pkey PRIMARY KEY (batch_id, n);
ALTER TABLE batch_members ADD CONSTRAINT batch_members_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE INDEX batch_members_item ON public.batch_members USING btree (item_id);
CREATE INDEX batch_members_task ON public.batch_members USING btree (task_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_members FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_members TO claimcheck_web;
GRANT INSERT ON batch_members TO claimcheck_worker;
GRANT SELECT ON batch_members TO claimcheck_worker;

CREATE TABLE batch_undo_asks (
    batch_id bigint NOT NULL,
    decision_id bigint NOT NULL,
    asked_by integer NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE batch_undo_asks ADD CONSTRAINT batch_undo_asks_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES people(id);
ALTER TABLE batch_undo_asks ADD CONSTRAINT batch_undo_asks_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_undo_asks ADD CONSTRAINT batch_undo_asks_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE batch_undo_asks ADD CONSTRAINT batch_undo_asks_once PRIMARY KEY (decision_id, asked_by);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_undo_asks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_undo_asks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON batch_undo_asks TO claimcheck_web;
GRANT SELECT ON batch_undo_asks TO claimcheck_web;
GRANT SELECT ON batch_undo_asks TO claimcheck_worker;

CREATE TABLE batch_undone (
    batch_id bigint NOT NULL,
    n integer NOT NULL,
    decision_id bigint NOT NULL);
ALTER TABLE batch_undone ADD CONSTRAINT batch_undone_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch_decisions(id);
ALTER TABLE batch_undone ADD CONSTRAINT batch_undone_batch_id_n_fkey FOREIGN KEY (batch_id, n) REFERENCES batch_members(batch_id, n);
ALTER TABLE batch_undone ADD CONSTRAINT batch_undone_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE batch_undone ADD CONSTRAINT batch_undone_once PRIMARY KEY (batch_id, n);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.batch_undone FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.batch_undone FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON batch_undone TO claimcheck_web;
GRANT SELECT ON batch_undone TO claimcheck_worker;

CREATE TABLE batches (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    created_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    closed_at timestamp with time zone,
    repeated integer NOT NULL DEFAULT 0,
    pipeline boolean NOT NULL DEFAULT false);
ALTER TABLE batches ADD CONSTRAINT batches_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE batches ADD CONSTRAINT batches_pkey PRIMARY KEY (id);
ALTER TABLE batches ADD CONSTRAINT batches_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE UNIQUE INDEX batches_pipeline ON public.batches USING btree (project_id) WHERE pipeline;
CREATE INDEX batches_project ON public.batches USING btree (project_id, id);
GRANT INSERT ON batches TO claimcheck_web;
GRANT SELECT ON batches TO claimcheck_web;
GRANT INSERT ON batches TO claimcheck_worker;
GRANT SELECT ON batches TO claimcheck_worker;
GRANT UPDATE (closed_at, repeated) ON batches TO claimcheck_web;

CREATE TABLE bulk_overturn_ends (
    bulk_id bigint NOT NULL,
    n integer NOT NULL,
    came_to text NOT NULL,
    why text,
    decision_id bigint,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk_overturns(id);
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_bulk_id_n_fkey FOREIGN KEY (bulk_id, n) REFERENCES bulk_overturn_members(bulk_id, n);
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_came_to_check CHECK ((came_to = ANY (ARRAY['overturned'::text, 'left_out'::text])));
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_once PRIMARY KEY (bulk_id, n);
ALTER TABLE bulk_overturn_ends ADD CONSTRAINT bulk_overturn_ends_sound CHECK ((((came_to = 'left_out'::text) = (why IS NOT NULL)) AND ((came_to = 'left_out'::text) = (decision_id IS NULL))));
CREATE INDEX bulk_overturn_ends_came_to ON public.bulk_overturn_ends USING btree (bulk_id, came_to, n);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.bulk_overturn_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.bulk_overturn_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON bulk_overturn_ends TO claimcheck_web;
GRANT SELECT ON bulk_overturn_ends TO claimcheck_worker;

CREATE TABLE bulk_overturn_hands (
    bulk_id bigint NOT NULL,
    from_n integer NOT NULL,
    person_id integer NOT NULL,
    items integer NOT NULL);
ALTER TABLE bulk_overturn_hands ADD CONSTRAINT bulk_overturn_hands_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk_overturns(id);
ALTER TABLE bulk_overturn_hands ADD CONSTRAINT bulk_overturn_hands_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE bulk_overturn_hands ADD CONSTRAINT bulk_overturn_hands_pkey PRIMARY KEY (bulk_id, person_id, from_n);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.bulk_overturn_hands FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER fixed BEFORE INSERT ON public.bulk_overturn_hands FOR EACH ROW EXECUTE FUNCTION keep_bulk_list();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.bulk_overturn_hands FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON bulk_overturn_hands TO claimcheck_web;
GRANT SELECT ON bulk_overturn_hands TO claimcheck_worker;

CREATE TABLE bulk_overturn_members (
    bulk_id bigint NOT NULL,
    n integer NOT NULL,
    decision_id bigint NOT NULL,
    item_id bigint NOT NULL,
    task_id bigint NOT NULL,
    evidence_hash bytea NOT NULL,
    evidence_version integer NOT NULL);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk_overturns(id);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_once UNIQUE (bulk_id, decision_id);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_pkey PRIMARY KEY (bulk_id, n);
ALTER TABLE bulk_overturn_members ADD CONSTRAINT bulk_overturn_members_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.bulk_overturn_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER fixed BEFORE INSERT ON public.bulk_overturn_members FOR EACH ROW EXECUTE FUNCTION keep_bulk_list();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.bulk_overturn_members FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON bulk_overturn_members TO claimcheck_web;
GRANT SELECT ON bulk_overturn_members TO claimcheck_worker;

CREATE TABLE bulk_overturns (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    shown_version integer NOT NULL,
    requested_by integer NOT NULL,
    reviewer_id integer,
    reason text,
    queue text,
    match_decision text,
    stood text,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    answer jsonb,
    reason_code text NOT NULL,
    note text NOT NULL,
    most integer NOT NULL,
    state text NOT NULL DEFAULT 'gathering'::text,
    version integer NOT NULL DEFAULT 1,
    moved_by integer NOT NULL,
    moved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    why text NOT NULL DEFAULT ''::text,
    approved_by integer,
    place_at timestamp with time zone NOT NULL,
    place_id bigint NOT NULL,
    listed integer NOT NULL DEFAULT 0,
    whole boolean NOT NULL DEFAULT true,
    reached integer NOT NULL DEFAULT 0,
    overturned integer NOT NULL DEFAULT 0,
    left_out integer NOT NULL DEFAULT 0,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    touched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES people(id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_moved_by_fkey FOREIGN KEY (moved_by) REFERENCES people(id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_pkey PRIMARY KEY (id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_project_id_reason_code_fkey FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes(project_id, code);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES people(id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_reviewer_id_fkey FOREIGN KEY (reviewer_id) REFERENCES people(id);
ALTER TABLE bulk_overturns ADD CONSTRAINT bulk_overturns_sound CHECK (((state = ANY ('{gathering,listed,pending,rejected,withdrawn,running,paused,stopped,done}'::text[])) AND (outcome = ANY ('{approve,reject,answer,reopen}'::text[])) AND ((outcome = 'answer'::text) = (answer IS NOT NULL)) AND (length(note) <= 10000) AND (length(why) <= 2000) AND ((most >= 1) AND (most <= 5000)) AND (listed <= most) AND (reached <= listed) AND ((overturned + left_out) <= listed) AND ((approved_by IS NOT NULL) = (state = ANY ('{running,paused,stopped,done}'::text[]))) AND (approved_by <> requested_by)));
CREATE INDEX bulk_overturns_pending ON public.bulk_overturns USING btree (moved_at) WHERE (state = 'pending'::text);
CREATE INDEX bulk_overturns_project ON public.bulk_overturns USING btree (project_id, id);
CREATE INDEX bulk_overturns_work ON public.bulk_overturns USING btree (touched_at) WHERE (state = ANY (ARRAY['gathering'::text, 'running'::text]));
CREATE TRIGGER moved BEFORE INSERT OR UPDATE ON public.bulk_overturns FOR EACH ROW EXECUTE FUNCTION move_bulk_overturn();
CREATE TRIGGER no_delete BEFORE DELETE ON public.bulk_overturns FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.bulk_overturns FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON bulk_overturns TO claimcheck_web;
GRANT SELECT ON bulk_overturns TO claimcheck_web;
GRANT SELECT ON bulk_overturns TO claimcheck_worker;
GRANT UPDATE (approved_by, moved_by, state, why) ON bulk_overturns TO claimcheck_web;
GRANT UPDATE (moved_by, state, touched_at, why) ON bulk_overturns TO claimcheck_worker;

CREATE TABLE control_desk (
    one boolean NOT NULL DEFAULT true,
    unapplied integer NOT NULL DEFAULT 0,
    given_up integer NOT NULL DEFAULT 0,
    oldest_unapplied timestamp with time zone,
    letters jsonb NOT NULL DEFAULT '{}'::jsonb,
    oldest_letter timestamp with time zone,
    finished integer NOT NULL DEFAULT 0,
    late integer NOT NULL DEFAULT 0,
    said integer NOT NULL DEFAULT 0,
    outside integer NOT NULL DEFAULT 0);
ALTER TABLE control_desk ADD CONSTRAINT control_desk_one_check CHECK (one);
ALTER TABLE control_desk ADD CONSTRAINT control_desk_pkey PRIMARY KEY (one);
GRANT SELECT ON control_desk TO claimcheck_web;
GRANT SELECT ON control_desk TO claimcheck_worker;
GRANT UPDATE ON control_desk TO claimcheck_worker;

CREATE TABLE control_hours (
    project_id integer NOT NULL,
    hour timestamp with time zone NOT NULL,
    arrived integer NOT NULL DEFAULT 0,
    settled integer NOT NULL DEFAULT 0,
    reopened integer NOT NULL DEFAULT 0,
    open integer);
ALTER TABLE control_hours ADD CONSTRAINT control_hours_pkey PRIMARY KEY (project_id, hour);
GRANT SELECT ON control_hours TO claimcheck_web;
GRANT INSERT ON control_hours TO claimcheck_worker;
GRANT SELECT ON control_hours TO claimcheck_worker;
GRANT UPDATE ON control_hours TO claimcheck_worker;

CREATE TABLE control_leases (
    project_id integer NOT NULL,
    day date NOT NULL,
    leases smallint NOT NULL,
    tasks integer NOT NULL);
ALTER TABLE control_leases ADD CONSTRAINT control_leases_leases_check CHECK (((leases >= 0) AND (leases <= 6)));
ALTER TABLE control_leases ADD CONSTRAINT control_leases_pkey PRIMARY KEY (project_id, day, leases);
GRANT SELECT ON control_leases TO claimcheck_web;
GRANT INSERT ON control_leases TO claimcheck_worker;
GRANT SELECT ON control_leases TO claimcheck_worker;
GRANT UPDATE ON control_leases TO claimcheck_worker;

CREATE TABLE control_load (
    day date NOT NULL,
    person_id integer NOT NULL,
    looks integer NOT NULL DEFAULT 0,
    seconds double precision NOT NULL DEFAULT 0,
    overturned integer NOT NULL DEFAULT 0,
    released integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    expired integer NOT NULL DEFAULT 0);
ALTER TABLE control_load ADD CONSTRAINT control_load_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE control_load ADD CONSTRAINT control_load_pkey PRIMARY KEY (day, person_id);
GRANT SELECT ON control_load TO claimcheck_web;
GRANT INSERT ON control_load TO claimcheck_worker;
GRANT SELECT ON control_load TO claimcheck_worker;
GRANT UPDATE ON control_load TO claimcheck_worker;

CREATE TABLE control_marks (
    name text NOT NULL,
    counted_at timestamp with time zone,
    took double precision NOT NULL DEFAULT 0,
    read_to bigint NOT NULL DEFAULT 0,
    next_to bigint NOT NULL DEFAULT 0);
ALTER TABLE control_marks ADD CONSTRAINT control_marks_in_order CHECK ((read_to <= next_to));
ALTER TABLE control_marks ADD CONSTRAINT control_marks_pkey PRIMARY KEY (name);
GRANT SELECT ON control_marks TO claimcheck_web;
GRANT SELECT ON control_marks TO claimcheck_worker;
GRANT UPDATE ON control_marks TO claimcheck_worker;

CREATE TABLE control_queues (
    queue_id integer NOT NULL,
    project_id integer NOT NULL,
    pending integer NOT NULL,
    held integer NOT NULL,
    blocked integer NOT NULL,
    paused integer NOT NULL,
    oldest timestamp with time zone,
    looks integer NOT NULL DEFAULT 0);
ALTER TABLE control_queues ADD CONSTRAINT control_queues_pkey PRIMARY KEY (queue_id);
ALTER TABLE control_queues ADD CONSTRAINT control_queues_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE control_queues ADD CONSTRAINT control_queues_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES queues(id);
CREATE INDEX control_queues_project ON public.control_queues USING btree (project_id);
GRANT SELECT ON control_queues TO claimcheck_web;
GRANT INSERT ON control_queues TO claimcheck_worker;
GRANT SELECT ON control_queues TO claimcheck_worker;
GRANT UPDATE ON control_queues TO claimcheck_worker;

CREATE TABLE control_reasons (
    queue_id integer NOT NULL,
    week date NOT NULL,
    reason_code text NOT NULL,
    said text NOT NULL,
    looks integer NOT NULL,
    overturned integer NOT NULL);
ALTER TABLE control_reasons ADD CONSTRAINT control_reasons_pkey PRIMARY KEY (queue_id, week, reason_code, said);
ALTER TABLE control_reasons ADD CONSTRAINT control_reasons_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES queues(id);
GRANT SELECT ON control_reasons TO claimcheck_web;
GRANT INSERT ON control_reasons TO claimcheck_worker;
GRANT SELECT ON control_reasons TO claimcheck_worker;
GRANT UPDATE ON control_reasons TO claimcheck_worker;

CREATE TABLE control_routes (
    queue_id integer NOT NULL,
    week date NOT NULL,
    match_decision text NOT NULL,
    currency text NOT NULL,
    band smallint NOT NULL,
    said text NOT NULL,
    outcomes integer NOT NULL,
    overturned integer NOT NULL);
ALTER TABLE control_routes ADD CONSTRAINT control_routes_pkey PRIMARY KEY (queue_id, week, match_decision, currency, band, said);
ALTER TABLE control_routes ADD CONSTRAINT control_routes_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES queues(id);
GRANT SELECT ON control_routes TO claimcheck_web;
GRANT INSERT ON control_routes TO claimcheck_worker;
GRANT SELECT ON control_routes TO claimcheck_worker;
GRANT UPDATE ON control_routes TO claimcheck_worker;

CREATE TABLE customers (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE customers ADD CONSTRAINT customers_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
ALTER TABLE customers ADD CONSTRAINT customers_name_key UNIQUE (name);
ALTER TABLE customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
GRANT INSERT ON customers TO claimcheck_web;
GRANT SELECT ON customers TO claimcheck_web;
GRANT SELECT ON customers TO claimcheck_worker;

CREATE TABLE dataset_acks (
    dataset_id bigint NOT NULL,
    person_id integer NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE dataset_acks ADD CONSTRAINT dataset_acks_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id);
ALTER TABLE dataset_acks ADD CONSTRAINT dataset_acks_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE dataset_acks ADD CONSTRAINT dataset_acks_pkey PRIMARY KEY (dataset_id, person_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.dataset_acks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.dataset_acks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON dataset_acks TO claimcheck_web;
GRANT SELECT ON dataset_acks TO claimcheck_web;
GRANT SELECT ON dataset_acks TO claimcheck_worker;

CREATE TABLE dataset_files (
    dataset_id bigint NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    rows bigint NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    object_key text NOT NULL,
    facts jsonb NOT NULL DEFAULT '{}'::jsonb);
ALTER TABLE dataset_files ADD CONSTRAINT dataset_files_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id);
ALTER TABLE dataset_files ADD CONSTRAINT dataset_files_pkey PRIMARY KEY (dataset_id, name);
ALTER TABLE dataset_files ADD CONSTRAINT dataset_files_rows_check CHECK ((rows >= 0));
ALTER TABLE dataset_files ADD CONSTRAINT dataset_files_sha256_check CHECK ((octet_length(sha256) = 32));
ALTER TABLE dataset_files ADD CONSTRAINT dataset_files_size_check CHECK ((size >= 0));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.dataset_files FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.dataset_files FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON dataset_files TO claimcheck_web;
GRANT INSERT ON dataset_files TO claimcheck_worker;
GRANT SELECT ON dataset_files TO claimcheck_worker;

CREATE TABLE dataset_manifests (
    dataset_id bigint NOT NULL,
    sha256 bytea NOT NULL,
    body bytea NOT NULL,
    rows bigint NOT NULL,
    counts jsonb NOT NULL,
    made_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE dataset_manifests ADD CONSTRAINT dataset_manifests_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id);
ALTER TABLE dataset_manifests ADD CONSTRAINT dataset_manifests_pkey PRIMARY KEY (dataset_id);
ALTER TABLE dataset_manifests ADD CONSTRAINT dataset_manifests_sha256_check CHECK ((octet_length(sha256) = 32));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.dataset_manifests FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.dataset_manifests FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON dataset_manifests TO claimcheck_web;
GRANT INSERT ON dataset_manifests TO claimcheck_worker;
GRANT SELECT ON dataset_manifests TO claimcheck_worker;

CREATE TABLE dataset_work (
    dataset_id bigint NOT NULL,
    state text NOT NULL DEFAULT 'waiting'::text,
    step text NOT NULL DEFAULT ''::text,
    step_done bigint NOT NULL DEFAULT 0,
    step_total bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    due timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    lease uuid,
    lease_until timestamp with time zone,
    last_error text,
    open_until timestamp with time zone GENERATED ALWAYS AS (
CASE state
    WHEN 'waiting'::text THEN due
    WHEN 'leased'::text THEN lease_until
    ELSE NULL::timestamp with time zone
END) STORED);
ALTER TABLE dataset_work ADD CONSTRAINT dataset_work_check CHECK (((state = 'leased'::text) = (lease IS NOT NULL)));
ALTER TABLE dataset_work ADD CONSTRAINT dataset_work_check1 CHECK (((lease IS NULL) = (lease_until IS NULL)));
ALTER TABLE dataset_work ADD CONSTRAINT dataset_work_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id);
ALTER TABLE dataset_work ADD CONSTRAINT dataset_work_pkey PRIMARY KEY (dataset_id);
ALTER TABLE dataset_work ADD CONSTRAINT dataset_work_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'leased'::text, 'done'::text, 'dead'::text])));
CREATE INDEX dataset_work_open ON public.dataset_work USING btree (open_until) WHERE (open_until IS NOT NULL);
GRANT INSERT ON dataset_work TO claimcheck_web;
GRANT SELECT ON dataset_work TO claimcheck_web;
GRANT SELECT ON dataset_work TO claimcheck_worker;
GRANT UPDATE (attempts, due, state) ON dataset_work TO claimcheck_web;
GRANT UPDATE (attempts, due, last_error, lease, lease_until, state, step, step_done, step_total) ON dataset_work TO claimcheck_worker;

CREATE TABLE datasets (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    version integer NOT NULL,
    parent_id bigint,
    kind text NOT NULL,
    up_to bigint NOT NULL,
    idempotency_key text,
    requested_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE datasets ADD CONSTRAINT datasets_check CHECK (((parent_id IS NULL) = (version = 1)));
ALTER TABLE datasets ADD CONSTRAINT datasets_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)));
ALTER TABLE datasets ADD CONSTRAINT datasets_kind_check CHECK ((kind = ANY (ARRAY['delivery'::text, 'retraction'::text])));
ALTER TABLE datasets ADD CONSTRAINT datasets_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES datasets(id);
ALTER TABLE datasets ADD CONSTRAINT datasets_pkey PRIMARY KEY (id);
ALTER TABLE datasets ADD CONSTRAINT datasets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE datasets ADD CONSTRAINT datasets_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES people(id);
ALTER TABLE datasets ADD CONSTRAINT datasets_version_check CHECK ((version > 0));
ALTER TABLE datasets ADD CONSTRAINT datasets_version_once UNIQUE (project_id, version);
CREATE UNIQUE INDEX datasets_key_once ON public.datasets USING btree (project_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.datasets FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.datasets FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON datasets TO claimcheck_web;
GRANT SELECT ON datasets TO claimcheck_web;
GRANT SELECT ON datasets TO claimcheck_worker;

CREATE TABLE dead_letter_replays (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    dead_letter_id bigint NOT NULL,
    person_id integer NOT NULL,
    body bytea,
    result text NOT NULL,
    message_id bigint,
    item_id bigint,
    again_id bigint,
    code text,
    detail text NOT NULL DEFAULT ''::text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_again_id_fkey FOREIGN KEY (again_id) REFERENCES dead_letters(id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_dead_letter_id_fkey FOREIGN KEY (dead_letter_id) REFERENCES dead_letters(id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_pkey PRIMARY KEY (id);
ALTER TABLE dead_letter_replays ADD CONSTRAINT dead_letter_replays_result_check CHECK ((result = ANY (ARRAY['admitted'::text, 'repeated'::text, 'refused'::text])));
CREATE INDEX dead_letter_replays_again ON public.dead_letter_replays USING btree (again_id) WHERE (again_id IS NOT NULL);
CREATE INDEX dead_letter_replays_of ON public.dead_letter_replays USING btree (dead_letter_id, id);
CREATE UNIQUE INDEX dead_letter_replays_once ON public.dead_letter_replays USING btree (dead_letter_id, COALESCE(sha256(body), '\x'::bytea));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.dead_letter_replays FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.dead_letter_replays FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON dead_letter_replays TO claimcheck_web;
GRANT SELECT ON dead_letter_replays TO claimcheck_web;
GRANT SELECT ON dead_letter_replays TO claimcheck_worker;

CREATE TABLE dead_letters (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer,
    batch_id bigint,
    idempotency_key text,
    source_hash bytea NOT NULL,
    code text NOT NULL,
    field text NOT NULL DEFAULT ''::text,
    detail text NOT NULL,
    body bytea NOT NULL,
    trace_id text NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    customer_id integer,
    source text NOT NULL DEFAULT 'items'::text,
    gate text,
    cause text NOT NULL DEFAULT ''::text,
    headers jsonb NOT NULL DEFAULT '{}'::jsonb,
    attempts integer NOT NULL DEFAULT 0,
    message_id bigint,
    received_by integer,
    sameness bytea);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_gate_check CHECK ((gate = ANY (ARRAY['structural'::text, 'monetary'::text, 'ordering'::text, 'idempotency'::text])));
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_received_by_fkey FOREIGN KEY (received_by) REFERENCES people(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_sameness_check CHECK ((octet_length(sameness) = 32));
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_source_check CHECK ((source = ANY (ARRAY['items'::text, 'http'::text, 'file'::text, 'stream'::text, 'replay'::text, 'pool'::text])));
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_source_hash_check CHECK ((octet_length(source_hash) = 32));
CREATE INDEX dead_letters_batch ON public.dead_letters USING btree (batch_id, id);
CREATE INDEX dead_letters_cause ON public.dead_letters USING btree (code, cause, id);
CREATE INDEX dead_letters_project ON public.dead_letters USING btree (project_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.dead_letters FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.dead_letters FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER open_letters AFTER INSERT ON public.dead_letters REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION open_letters();
GRANT INSERT ON dead_letters TO claimcheck_web;
GRANT SELECT ON dead_letters TO claimcheck_web;
GRANT SELECT ON dead_letters TO claimcheck_worker;

CREATE TABLE dead_letters_open (
    dead_letter_id bigint NOT NULL,
    code text NOT NULL,
    cause text NOT NULL,
    project_id integer,
    customer_id integer,
    bytes bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sameness bytea,
    came_again integer NOT NULL DEFAULT 0,
    last_came timestamp with time zone);
ALTER TABLE dead_letters_open ADD CONSTRAINT dead_letters_open_dead_letter_id_fkey FOREIGN KEY (dead_letter_id) REFERENCES dead_letters(id);
ALTER TABLE dead_letters_open ADD CONSTRAINT dead_letters_open_pkey PRIMARY KEY (dead_letter_id);
CREATE INDEX dead_letters_open_cause ON public.dead_letters_open USING btree (code, cause, dead_letter_id);
CREATE INDEX dead_letters_open_customer ON public.dead_letters_open USING btree (customer_id, code, cause, dead_letter_id);
CREATE INDEX dead_letters_open_same ON public.dead_letters_open USING btree (sameness) WHERE (sameness IS NOT NULL);
GRANT DELETE ON dead_letters_open TO claimcheck_web;
GRANT SELECT ON dead_letters_open TO claimcheck_web;
GRANT SELECT ON dead_letters_open TO claimcheck_worker;
GRANT UPDATE (bytes, came_again, last_came) ON dead_letters_open TO claimcheck_web;

CREATE TABLE decisions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    item_id bigint NOT NULL,
    task_id bigint NOT NULL,
    assignment_id bigint,
    project_id integer NOT NULL,
    project_version integer NOT NULL,
    person_id integer NOT NULL,
    verdict text,
    answer jsonb,
    outcome text,
    supersedes bigint,
    evidence_version integer NOT NULL,
    shown_version integer NOT NULL,
    evidence_hash bytea NOT NULL,
    reason_code text NOT NULL,
    note text NOT NULL DEFAULT ''::text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    approval_id bigint,
    approved_by integer,
    bulk_overturn_id bigint);
ALTER TABLE decisions ADD CONSTRAINT decisions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES proposals(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_approved CHECK (((num_nonnulls(approval_id, bulk_overturn_id) = num_nonnulls(approved_by)) AND ((approved_by IS NULL) OR (outcome IS NOT NULL)) AND (approved_by <> person_id) AND ((bulk_overturn_id IS NULL) OR (supersedes IS NOT NULL))));
ALTER TABLE decisions ADD CONSTRAINT decisions_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES people(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_assignment_id_fkey FOREIGN KEY (assignment_id) REFERENCES assignments(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_assignment_id_key UNIQUE (assignment_id);
ALTER TABLE decisions ADD CONSTRAINT decisions_bulk_overturn_id_fkey FOREIGN KEY (bulk_overturn_id) REFERENCES bulk_overturns(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_pkey PRIMARY KEY (id);
ALTER TABLE decisions ADD CONSTRAINT decisions_project_id_project_version_fkey FOREIGN KEY (project_id, project_version) REFERENCES project_versions(project_id, version);
ALTER TABLE decisions ADD CONSTRAINT decisions_project_id_reason_code_fkey FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes(project_id, code);
ALTER TABLE decisions ADD CONSTRAINT decisions_sound CHECK (((((verdict = 'overturn'::text) IS TRUE) = (supersedes IS NOT NULL)) AND ((verdict = 'overturn'::text) OR (num_nonnulls(verdict, answer) = 1)) AND (((verdict = 'overturn'::text) IS NOT TRUE) OR ((outcome IS NOT NULL) AND ((outcome = 'answer'::text) = (answer IS NOT NULL)))) AND ((outcome IS DISTINCT FROM 'reopen'::text) OR (verdict = 'overturn'::text)) AND ((assignment_id IS NULL) OR (supersedes IS NULL)) AND (octet_length(evidence_hash) = 32) AND (length(note) <= 10000) AND (outcome = ANY ('{approve,reject,answer,reopen}'::text[])) AND (verdict = ANY ('{approve,reject,escalate,overturn}'::text[]))));
ALTER TABLE decisions ADD CONSTRAINT decisions_supersedes_fkey FOREIGN KEY (supersedes) REFERENCES decisions(id);
ALTER TABLE decisions ADD CONSTRAINT decisions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE UNIQUE INDEX decisions_approved_once ON public.decisions USING btree (approval_id) WHERE (approval_id IS NOT NULL);
CREATE INDEX decisions_item ON public.decisions USING btree (item_id);
CREATE INDEX decisions_overturns ON public.decisions USING btree (project_id, outcome) WHERE (supersedes IS NOT NULL);
CREATE INDEX decisions_person ON public.decisions USING btree (person_id, created_at);
CREATE INDEX decisions_reason ON public.decisions USING btree (project_id, reason_code, id);
CREATE INDEX decisions_results ON public.decisions USING btree (project_id, id) WHERE (outcome IS NOT NULL);
CREATE INDEX decisions_settling ON public.decisions USING btree (item_id, id) WHERE (outcome IS NOT NULL);
CREATE UNIQUE INDEX decisions_superseded_once ON public.decisions USING btree (supersedes) WHERE (supersedes IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.decisions FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER four_eyes BEFORE INSERT ON public.decisions FOR EACH ROW WHEN ((new.outcome IS NOT NULL)) EXECUTE FUNCTION need_four_eyes();
CREATE TRIGGER keep_undone AFTER INSERT ON public.decisions FOR EACH ROW WHEN (((new.supersedes IS NOT NULL) AND (new.reason_code = 'desk.undone'::text))) EXECUTE FUNCTION keep_undone();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON decisions TO claimcheck_web;
GRANT SELECT ON decisions TO claimcheck_web;
GRANT SELECT ON decisions TO claimcheck_worker;

CREATE TABLE deliveries (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    effect_id integer NOT NULL,
    outbox_id bigint,
    webhook_id text NOT NULL,
    attempt integer NOT NULL,
    status integer,
    error text,
    excerpt text NOT NULL DEFAULT ''::text,
    seconds double precision NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE deliveries ADD CONSTRAINT deliveries_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_outbox_id_fkey FOREIGN KEY (outbox_id) REFERENCES outbox(id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
CREATE INDEX deliveries_effect ON public.deliveries USING btree (effect_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.deliveries FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.deliveries FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON deliveries TO claimcheck_web;
GRANT SELECT ON deliveries TO claimcheck_web;
GRANT INSERT ON deliveries TO claimcheck_worker;
GRANT SELECT ON deliveries TO claimcheck_worker;

CREATE TABLE drafts (
    task_id bigint NOT NULL,
    person_id integer NOT NULL,
    body jsonb NOT NULL,
    saved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE drafts ADD CONSTRAINT drafts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE drafts ADD CONSTRAINT drafts_pkey PRIMARY KEY (task_id, person_id);
ALTER TABLE drafts ADD CONSTRAINT drafts_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
GRANT DELETE ON drafts TO claimcheck_web;
GRANT INSERT ON drafts TO claimcheck_web;
GRANT SELECT ON drafts TO claimcheck_web;
GRANT UPDATE (body, saved_at) ON drafts TO claimcheck_web;

CREATE TABLE drains (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    draining boolean NOT NULL,
    person_id integer NOT NULL,
    reason text NOT NULL);
ALTER TABLE drains ADD CONSTRAINT drains_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE drains ADD CONSTRAINT drains_pkey PRIMARY KEY (id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.drains FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.drains FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON drains TO claimcheck_web;
GRANT SELECT ON drains TO claimcheck_web;
GRANT SELECT ON drains TO claimcheck_worker;

CREATE TABLE effects (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    kind text NOT NULL,
    on_outcomes text[] NOT NULL,
    url text,
    sealed_secret bytea,
    switched_off text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    failures integer NOT NULL DEFAULT 0,
    rest_until timestamp with time zone,
    sealed_former bytea,
    former_until timestamp with time zone);
ALTER TABLE effects ADD CONSTRAINT effects_check CHECK (((kind = 'webhook'::text) = (url IS NOT NULL)));
ALTER TABLE effects ADD CONSTRAINT effects_check1 CHECK (((kind = 'webhook'::text) = (sealed_secret IS NOT NULL)));
ALTER TABLE effects ADD CONSTRAINT effects_check2 CHECK (((sealed_former IS NULL) = (former_until IS NULL)));
ALTER TABLE effects ADD CONSTRAINT effects_kind_check CHECK ((kind = ANY (ARRAY['standing'::text, 'webhook'::text, 'letter'::text])));
ALTER TABLE effects ADD CONSTRAINT effects_on_outcomes_check CHECK ((on_outcomes <@ ARRAY['approve'::text, 'reject'::text, 'answer'::text, 'overturn'::text]));
ALTER TABLE effects ADD CONSTRAINT effects_pkey PRIMARY KEY (id);
ALTER TABLE effects ADD CONSTRAINT effects_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE effects ADD CONSTRAINT effects_project_id_kind_key UNIQUE (project_id, kind);
GRANT INSERT ON effects TO claimcheck_web;
GRANT SELECT ON effects TO claimcheck_web;
GRANT SELECT ON effects TO claimcheck_worker;
GRANT UPDATE (failures, former_until, on_outcomes, rest_until, sealed_former, sealed_secret, switched_off, url) ON effects TO claimcheck_web;
GRANT INSERT (kind, on_outcomes, project_id) ON effects TO claimcheck_worker;
GRANT UPDATE (failures, rest_until, switched_off) ON effects TO claimcheck_worker;

CREATE TABLE events (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL,
    person_id integer NOT NULL,
    project_id integer,
    item_id bigint,
    task_id bigint,
    assignment_id bigint,
    decision_id bigint,
    detail jsonb NOT NULL DEFAULT '{}'::jsonb);
ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (id);
CREATE INDEX events_bulk_overturns ON public.events USING btree ((((detail ->> 'bulk_overturn'::text))::bigint), id) WHERE (kind ~~ 'bulk_overturn.%'::text);
CREATE INDEX events_item ON public.events USING btree (item_id, id) WHERE (item_id IS NOT NULL);
CREATE INDEX events_operations ON public.events USING btree (id) WHERE (kind ~~ 'operations.%'::text);
CREATE INDEX events_person ON public.events USING btree (person_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON events TO claimcheck_web;
GRANT SELECT ON events TO claimcheck_web;
GRANT INSERT ON events TO claimcheck_worker;
GRANT SELECT ON events TO claimcheck_worker;

CREATE TABLE evidence (
    item_id bigint NOT NULL,
    version integer NOT NULL,
    title text NOT NULL DEFAULT ''::text,
    fields text[] NOT NULL,
    created_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    published_at timestamp with time zone,
    publish_until timestamp with time zone,
    attempts integer NOT NULL DEFAULT 0,
    last_error text,
    spooled_until timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN ((published_at IS NULL) AND (NOT waits)) THEN COALESCE(publish_until, created_at)
    ELSE NULL::timestamp with time zone
END) STORED,
    waits boolean NOT NULL DEFAULT false);
ALTER TABLE evidence ADD CONSTRAINT evidence_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_pkey PRIMARY KEY (item_id, version);
ALTER TABLE evidence ADD CONSTRAINT evidence_version_check CHECK ((version > 0));
CREATE INDEX evidence_spooled ON public.evidence USING btree (spooled_until, item_id) WHERE (spooled_until IS NOT NULL);
GRANT INSERT ON evidence TO claimcheck_web;
GRANT SELECT ON evidence TO claimcheck_web;
GRANT INSERT ON evidence TO claimcheck_worker;
GRANT SELECT ON evidence TO claimcheck_worker;
GRANT UPDATE (title) ON evidence TO claimcheck_web;
GRANT UPDATE (attempts, last_error, publish_until, published_at, waits) ON evidence TO claimcheck_worker;

CREATE TABLE evidence_parts (
    item_id bigint NOT NULL,
    version integer NOT NULL,
    n smallint NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    object_key text NOT NULL);
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_content_type_check CHECK (((length(content_type) >= 3) AND (length(content_type) <= 200)));
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_item_id_version_fkey FOREIGN KEY (item_id, version) REFERENCES evidence(item_id, version);
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_item_id_version_name_key UNIQUE (item_id, version, name);
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_n_check CHECK ((n >= 0));
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_pkey PRIMARY KEY (item_id, version, n);
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_sha256_check CHECK ((octet_length(sha256) = 32));
ALTER TABLE evidence_parts ADD CONSTRAINT evidence_parts_size_check CHECK ((size >= 0));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.evidence_parts FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.evidence_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON evidence_parts TO claimcheck_web;
GRANT SELECT ON evidence_parts TO claimcheck_web;
GRANT INSERT ON evidence_parts TO claimcheck_worker;
GRANT SELECT ON evidence_parts TO claimcheck_worker;

CREATE TABLE forecast_ends (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    batch_id bigint,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    hour timestamp with time zone NOT NULL DEFAULT date_trunc('hour'::text, clock_timestamp(), 'UTC'::text),
    items integer NOT NULL,
    most_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL);
ALTER TABLE forecast_ends ADD CONSTRAINT forecast_ends_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id);
ALTER TABLE forecast_ends ADD CONSTRAINT forecast_ends_hourly UNIQUE NULLS NOT DISTINCT (project_id, batch_id, hour);
ALTER TABLE forecast_ends ADD CONSTRAINT forecast_ends_items_check CHECK ((items > 0));
ALTER TABLE forecast_ends ADD CONSTRAINT forecast_ends_pkey PRIMARY KEY (id);
ALTER TABLE forecast_ends ADD CONSTRAINT forecast_ends_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.forecast_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.forecast_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON forecast_ends TO claimcheck_web;
GRANT INSERT ON forecast_ends TO claimcheck_worker;
GRANT SELECT ON forecast_ends TO claimcheck_worker;

CREATE TABLE forecast_log (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    batch_id bigint,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    hour timestamp with time zone NOT NULL DEFAULT date_trunc('hour'::text, clock_timestamp(), 'UTC'::text),
    items integer NOT NULL,
    settled integer NOT NULL,
    progress double precision NOT NULL,
    bucket smallint NOT NULL,
    looks_left double precision NOT NULL,
    looks_an_hour double precision,
    experts integer NOT NULL,
    raw_most double precision,
    raw_last double precision,
    most double precision,
    most_low double precision,
    most_high double precision,
    last double precision,
    last_low double precision,
    last_high double precision,
    deadline timestamp with time zone,
    miss_probability double precision,
    state text NOT NULL);
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id);
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_hourly UNIQUE NULLS NOT DISTINCT (project_id, batch_id, hour);
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_items_check CHECK ((items > 0));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_miss_probability_check CHECK (((miss_probability >= (0)::double precision) AND (miss_probability <= (1)::double precision)));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_pkey PRIMARY KEY (id);
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_progress_check CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision)));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_raw_last_check CHECK ((raw_last >= (0)::double precision));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_raw_most_check CHECK ((raw_most >= (0)::double precision));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_settled_check CHECK ((settled >= 0));
ALTER TABLE forecast_log ADD CONSTRAINT forecast_log_state_check CHECK ((state = ANY (ARRAY['no_deadline'::text, 'on_time'::text, 'at_risk'::text, 'late'::text, 'unknown'::text])));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.forecast_log FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.forecast_log FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON forecast_log TO claimcheck_web;
GRANT INSERT ON forecast_log TO claimcheck_worker;
GRANT SELECT ON forecast_log TO claimcheck_worker;

CREATE TABLE gold_exposures (
    task_id bigint NOT NULL,
    gold_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    scored_at timestamp with time zone,
    price_minor bigint,
    settled_at timestamp with time zone);
ALTER TABLE gold_exposures ADD CONSTRAINT gold_exposures_gold_id_fkey FOREIGN KEY (gold_id) REFERENCES golds(id);
ALTER TABLE gold_exposures ADD CONSTRAINT gold_exposures_pkey PRIMARY KEY (task_id);
ALTER TABLE gold_exposures ADD CONSTRAINT gold_exposures_price_minor_check CHECK ((price_minor >= 0));
ALTER TABLE gold_exposures ADD CONSTRAINT gold_exposures_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE INDEX gold_exposures_gold ON public.gold_exposures USING btree (gold_id);
CREATE UNIQUE INDEX gold_exposures_open ON public.gold_exposures USING btree (gold_id) WHERE (scored_at IS NULL);
CREATE INDEX gold_exposures_unsettled ON public.gold_exposures USING btree (task_id) WHERE ((price_minor IS NOT NULL) AND (settled_at IS NULL));
GRANT INSERT ON gold_exposures TO claimcheck_worker;
GRANT SELECT ON gold_exposures TO claimcheck_worker;
GRANT UPDATE (scored_at, settled_at) ON gold_exposures TO claimcheck_worker;

CREATE TABLE gold_labels (
    gold_id bigint NOT NULL,
    accepted text[] NOT NULL,
    note text NOT NULL DEFAULT ''::text);
ALTER TABLE gold_labels ADD CONSTRAINT gold_labels_accepted_check CHECK (((cardinality(accepted) >= 1) AND (cardinality(accepted) <= 20)));
ALTER TABLE gold_labels ADD CONSTRAINT gold_labels_gold_id_fkey FOREIGN KEY (gold_id) REFERENCES golds(id);
ALTER TABLE gold_labels ADD CONSTRAINT gold_labels_pkey PRIMARY KEY (gold_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.gold_labels FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.gold_labels FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON gold_labels TO claimcheck_web;
GRANT INSERT ON gold_labels TO claimcheck_worker;
GRANT SELECT ON gold_labels TO claimcheck_worker;

CREATE TABLE gold_results (
    decision_id bigint NOT NULL,
    person_id integer NOT NULL,
    skill_id integer NOT NULL,
    item_id bigint NOT NULL,
    purpose text NOT NULL,
    correct boolean NOT NULL,
    level double precision NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE gold_results ADD CONSTRAINT gold_results_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE gold_results ADD CONSTRAINT gold_results_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE gold_results ADD CONSTRAINT gold_results_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE gold_results ADD CONSTRAINT gold_results_pkey PRIMARY KEY (decision_id);
ALTER TABLE gold_results ADD CONSTRAINT gold_results_purpose_check CHECK ((purpose = ANY (ARRAY['exam'::text, 'ordinary'::text, 'extra'::text])));
ALTER TABLE gold_results ADD CONSTRAINT gold_results_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
CREATE INDEX gold_results_person ON public.gold_results USING btree (person_id, skill_id, decision_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.gold_results FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.gold_results FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON gold_results TO claimcheck_web;
GRANT INSERT ON gold_results TO claimcheck_worker;
GRANT SELECT ON gold_results TO claimcheck_worker;

CREATE TABLE golds (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    item_id bigint NOT NULL,
    project_id integer NOT NULL,
    skill_id integer NOT NULL,
    origin text NOT NULL,
    exposures smallint NOT NULL DEFAULT 0,
    max_exposures smallint NOT NULL DEFAULT 5,
    made_by integer NOT NULL,
    made_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    retired_at timestamp with time zone,
    retired_why text);
ALTER TABLE golds ADD CONSTRAINT golds_check CHECK (((retired_at IS NULL) = (retired_why IS NULL)));
ALTER TABLE golds ADD CONSTRAINT golds_exposures_check CHECK ((exposures >= 0));
ALTER TABLE golds ADD CONSTRAINT golds_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE golds ADD CONSTRAINT golds_item_id_key UNIQUE (item_id);
ALTER TABLE golds ADD CONSTRAINT golds_made_by_fkey FOREIGN KEY (made_by) REFERENCES people(id);
ALTER TABLE golds ADD CONSTRAINT golds_max_exposures_check CHECK (((max_exposures >= 1) AND (max_exposures <= 1000)));
ALTER TABLE golds ADD CONSTRAINT golds_not_worn CHECK ((exposures <= max_exposures));
ALTER TABLE golds ADD CONSTRAINT golds_origin_check CHECK ((origin = ANY (ARRAY['adjudicated'::text, 'given'::text])));
ALTER TABLE golds ADD CONSTRAINT golds_pkey PRIMARY KEY (id);
ALTER TABLE golds ADD CONSTRAINT golds_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE golds ADD CONSTRAINT golds_retired_why_check CHECK ((retired_why = ANY (ARRAY['worn out'::text, 'by hand'::text])));
ALTER TABLE golds ADD CONSTRAINT golds_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
CREATE INDEX golds_live ON public.golds USING btree (skill_id, id) WHERE (retired_at IS NULL);
GRANT INSERT ON golds TO claimcheck_web;
GRANT SELECT ON golds TO claimcheck_web;
GRANT INSERT ON golds TO claimcheck_worker;
GRANT SELECT ON golds TO claimcheck_worker;
GRANT UPDATE (max_exposures, retired_at, retired_why) ON golds TO claimcheck_web;
GRANT UPDATE (exposures, retired_at, retired_why) ON golds TO claimcheck_worker;

CREATE TABLE inbox (
    message_id bigint NOT NULL,
    partition_id bigint NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    last_error text,
    body bytea NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp());
ALTER TABLE inbox ADD CONSTRAINT inbox_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);
ALTER TABLE inbox ADD CONSTRAINT inbox_partition_id_fkey FOREIGN KEY (partition_id) REFERENCES inbox_partitions(id);
ALTER TABLE inbox ADD CONSTRAINT inbox_pkey PRIMARY KEY (message_id);
CREATE INDEX inbox_order ON public.inbox USING btree (partition_id, message_id);
GRANT DELETE ON inbox TO claimcheck_web;
GRANT INSERT ON inbox TO claimcheck_web;
GRANT SELECT ON inbox TO claimcheck_web;
GRANT SELECT ON inbox TO claimcheck_worker;
GRANT UPDATE (attempts, last_error) ON inbox TO claimcheck_web;

CREATE TABLE inbox_partitions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    key text NOT NULL,
    open integer NOT NULL DEFAULT 0,
    due timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    lease uuid,
    lease_until timestamp with time zone,
    pull_at timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN (open > 0) THEN GREATEST(due, lease_until)
    ELSE NULL::timestamp with time zone
END) STORED,
    begun boolean NOT NULL DEFAULT false);
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_check CHECK (((lease IS NULL) = (lease_until IS NULL)));
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200)));
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_open_check CHECK ((open >= 0));
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_pkey PRIMARY KEY (id);
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE inbox_partitions ADD CONSTRAINT inbox_partitions_project_id_key_key UNIQUE (project_id, key);
CREATE INDEX inbox_partitions_pull ON public.inbox_partitions USING btree (pull_at) WHERE (pull_at IS NOT NULL);
GRANT INSERT ON inbox_partitions TO claimcheck_web;
GRANT SELECT ON inbox_partitions TO claimcheck_web;
GRANT SELECT ON inbox_partitions TO claimcheck_worker;
GRANT UPDATE (begun, due, lease, lease_until, open) ON inbox_partitions TO claimcheck_web;

CREATE TABLE item_action_ends (
    action_id bigint NOT NULL,
    n integer NOT NULL,
    done boolean NOT NULL,
    why text,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE item_action_ends ADD CONSTRAINT item_action_ends_action_id_n_fkey FOREIGN KEY (action_id, n) REFERENCES item_action_members(action_id, n);
ALTER TABLE item_action_ends ADD CONSTRAINT item_action_ends_check CHECK ((done OR (why IS NOT NULL)));
ALTER TABLE item_action_ends ADD CONSTRAINT item_action_ends_pkey PRIMARY KEY (action_id, n);
CREATE INDEX item_action_ends_refused ON public.item_action_ends USING btree (action_id, n) WHERE (NOT done);
CREATE TRIGGER no_change BEFORE DELETE OR UPDATE ON public.item_action_ends FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.item_action_ends FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON item_action_ends TO claimcheck_web;
GRANT SELECT ON item_action_ends TO claimcheck_worker;

CREATE TABLE item_action_members (
    action_id bigint NOT NULL,
    n integer NOT NULL,
    item_id bigint NOT NULL);
ALTER TABLE item_action_members ADD CONSTRAINT item_action_members_action_id_fkey FOREIGN KEY (action_id) REFERENCES item_actions(id);
ALTER TABLE item_action_members ADD CONSTRAINT item_action_members_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE item_action_members ADD CONSTRAINT item_action_members_n_check CHECK ((n > 0));
ALTER TABLE item_action_members ADD CONSTRAINT item_action_members_once UNIQUE (action_id, item_id);
ALTER TABLE item_action_members ADD CONSTRAINT item_action_members_pkey PRIMARY KEY (action_id, n);
CREATE TRIGGER no_change BEFORE DELETE OR UPDATE ON public.item_action_members FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.item_action_members FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON item_action_members TO claimcheck_web;
GRANT SELECT ON item_action_members TO claimcheck_web;
GRANT INSERT ON item_action_members TO claimcheck_worker;
GRANT SELECT ON item_action_members TO claimcheck_worker;

CREATE TABLE item_actions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    asked_by integer NOT NULL,
    kind text NOT NULL,
    what jsonb NOT NULL,
    why text NOT NULL,
    filters jsonb,
    looked_to text,
    state text NOT NULL,
    members integer NOT NULL DEFAULT 0,
    acted integer NOT NULL DEFAULT 0,
    done integer NOT NULL DEFAULT 0,
    asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    touched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE item_actions ADD CONSTRAINT item_actions_asked_by_fkey FOREIGN KEY (asked_by) REFERENCES people(id);
ALTER TABLE item_actions ADD CONSTRAINT item_actions_kind_check CHECK ((kind = ANY (ARRAY['assign'::text, 'move'::text, 'prioritise'::text, 'send_back'::text, 'cancel'::text])));
ALTER TABLE item_actions ADD CONSTRAINT item_actions_pkey PRIMARY KEY (id);
ALTER TABLE item_actions ADD CONSTRAINT item_actions_state_check CHECK ((state = ANY (ARRAY['gathering'::text, 'listed'::text, 'acting'::text, 'done'::text, 'dropped'::text])));
ALTER TABLE item_actions ADD CONSTRAINT item_actions_why_check CHECK ((length(why) <= 2000));
ALTER TABLE item_actions ADD CONSTRAINT item_actions_within CHECK (((done <= acted) AND (acted <= members)));
CREATE INDEX item_actions_open ON public.item_actions USING btree (touched_at) WHERE (state = ANY (ARRAY['gathering'::text, 'acting'::text]));
GRANT INSERT ON item_actions TO claimcheck_web;
GRANT SELECT ON item_actions TO claimcheck_web;
GRANT SELECT ON item_actions TO claimcheck_worker;
GRANT UPDATE (state, touched_at) ON item_actions TO claimcheck_web;
GRANT UPDATE (looked_to, members, state, touched_at) ON item_actions TO claimcheck_worker;

CREATE TABLE item_facets (
    item_id bigint NOT NULL,
    version integer NOT NULL,
    facets jsonb NOT NULL);
ALTER TABLE item_facets ADD CONSTRAINT item_facets_few CHECK (((jsonb_typeof(facets) = 'object'::text) AND (length((facets)::text) <= 2000)));
ALTER TABLE item_facets ADD CONSTRAINT item_facets_item_id_version_fkey FOREIGN KEY (item_id, version) REFERENCES evidence(item_id, version);
ALTER TABLE item_facets ADD CONSTRAINT item_facets_pkey PRIMARY KEY (item_id, version);
GRANT INSERT ON item_facets TO claimcheck_web;
GRANT SELECT ON item_facets TO claimcheck_web;
GRANT INSERT ON item_facets TO claimcheck_worker;
GRANT SELECT ON item_facets TO claimcheck_worker;
GRANT UPDATE (facets) ON item_facets TO claimcheck_web;

CREATE TABLE items (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    batch_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    source_hash bytea NOT NULL,
    trace_id text NOT NULL,
    priority smallint NOT NULL,
    partition_id bigint,
    partition_no integer,
    evidence_version integer NOT NULL DEFAULT 0,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    not_durable_in integer GENERATED ALWAYS AS (
CASE
    WHEN (evidence_version = 0) THEN project_id
    ELSE NULL::integer
END) STORED,
    queue text NOT NULL DEFAULT 'review'::text,
    message_id bigint,
    gold boolean NOT NULL DEFAULT false,
    alike text[],
    prioritised_at timestamp with time zone);
ALTER TABLE items ADD CONSTRAINT items_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id);
ALTER TABLE items ADD CONSTRAINT items_check CHECK (((partition_id IS NULL) = (partition_no IS NULL)));
ALTER TABLE items ADD CONSTRAINT items_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)));
ALTER TABLE items ADD CONSTRAINT items_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);
ALTER TABLE items ADD CONSTRAINT items_message_id_key UNIQUE (message_id);
ALTER TABLE items ADD CONSTRAINT items_partition_id_fkey FOREIGN KEY (partition_id) REFERENCES partitions(id);
ALTER TABLE items ADD CONSTRAINT items_pkey PRIMARY KEY (id);
ALTER TABLE items ADD CONSTRAINT items_priority_check CHECK (((priority >= '-10'::integer) AND (priority <= 20)));
ALTER TABLE items ADD CONSTRAINT items_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE items ADD CONSTRAINT items_source_hash_check CHECK ((octet_length(source_hash) = 32));
CREATE INDEX items_batch ON public.items USING btree (batch_id);
CREATE UNIQUE INDEX items_gold_key_once ON public.items USING btree (project_id, idempotency_key) WHERE gold;
CREATE INDEX items_key ON public.items USING btree (hashtextextended(idempotency_key, (0)::bigint), id);
CREATE UNIQUE INDEX items_key_once ON public.items USING btree (project_id, idempotency_key) WHERE (NOT gold);
CREATE INDEX items_not_durable ON public.items USING btree (not_durable_in, id) WHERE (not_durable_in IS NOT NULL);
CREATE UNIQUE INDEX items_partition ON public.items USING btree (partition_id, partition_no) WHERE (partition_id IS NOT NULL);
CREATE INDEX items_project ON public.items USING btree (project_id, id);
CREATE INDEX items_trace ON public.items USING btree (hashtextextended(trace_id, (0)::bigint), id);
CREATE TRIGGER keep_alike BEFORE INSERT ON public.items FOR EACH ROW EXECUTE FUNCTION keep_alike();
CREATE TRIGGER no_delete BEFORE DELETE ON public.items FOR EACH ROW EXECUTE FUNCTION refuse();
GRANT INSERT ON items TO claimcheck_web;
GRANT SELECT ON items TO claimcheck_web;
GRANT INSERT ON items TO claimcheck_worker;
GRANT SELECT ON items TO claimcheck_worker;
GRANT UPDATE (trace_id) ON items TO claimcheck_web;
GRANT UPDATE (evidence_version) ON items TO claimcheck_worker;

CREATE TABLE lanes (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    skill_id integer NOT NULL,
    tier smallint NOT NULL,
    queue text NOT NULL,
    gold boolean NOT NULL DEFAULT false);
ALTER TABLE lanes ADD CONSTRAINT lanes_once UNIQUE (skill_id, tier, queue, gold) INCLUDE (id);
ALTER TABLE lanes ADD CONSTRAINT lanes_pkey PRIMARY KEY (id);
ALTER TABLE lanes ADD CONSTRAINT lanes_queue_check CHECK (((length(queue) >= 1) AND (length(queue) <= 60)));
ALTER TABLE lanes ADD CONSTRAINT lanes_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
ALTER TABLE lanes ADD CONSTRAINT lanes_tier_check CHECK (((tier >= 0) AND (tier <= 3)));
CREATE UNIQUE INDEX lanes_gold ON public.lanes USING btree (skill_id) WHERE gold;
CREATE INDEX lanes_led ON public.lanes USING btree (id) WHERE (queue = ANY (ARRAY['escalation'::text, 'adjudication'::text, 'approval'::text]));
GRANT INSERT ON lanes TO claimcheck_web;
GRANT SELECT ON lanes TO claimcheck_web;
GRANT SELECT ON lanes TO claimcheck_worker;

CREATE TABLE late_looks (
    assignment_id bigint NOT NULL,
    task_id bigint NOT NULL,
    item_id bigint NOT NULL,
    person_id integer NOT NULL,
    verdict text,
    answer jsonb,
    reason_code text NOT NULL,
    note text NOT NULL DEFAULT ''::text,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE late_looks ADD CONSTRAINT late_looks_assignment_id_fkey FOREIGN KEY (assignment_id) REFERENCES assignments(id);
ALTER TABLE late_looks ADD CONSTRAINT late_looks_check CHECK ((num_nonnulls(verdict, answer) = 1));
ALTER TABLE late_looks ADD CONSTRAINT late_looks_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE late_looks ADD CONSTRAINT late_looks_pkey PRIMARY KEY (assignment_id);
ALTER TABLE late_looks ADD CONSTRAINT late_looks_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE INDEX late_looks_item ON public.late_looks USING btree (item_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.late_looks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.late_looks FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON late_looks TO claimcheck_web;
GRANT SELECT ON late_looks TO claimcheck_web;
GRANT SELECT ON late_looks TO claimcheck_worker;

CREATE TABLE lease_times (
    project_id integer NOT NULL,
    counted_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    seconds integer[] NOT NULL,
    decided integer[] NOT NULL,
    undecided integer[] NOT NULL);
ALTER TABLE lease_times ADD CONSTRAINT lease_times_even CHECK (((cardinality(seconds) = cardinality(decided)) AND (cardinality(seconds) = cardinality(undecided))));
ALTER TABLE lease_times ADD CONSTRAINT lease_times_pkey PRIMARY KEY (project_id);
ALTER TABLE lease_times ADD CONSTRAINT lease_times_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
GRANT SELECT ON lease_times TO claimcheck_web;
GRANT INSERT ON lease_times TO claimcheck_worker;
GRANT SELECT ON lease_times TO claimcheck_worker;
GRANT UPDATE ON lease_times TO claimcheck_worker;

CREATE TABLE login_attempts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    email text NOT NULL,
    address inet NOT NULL,
    ok boolean NOT NULL,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE login_attempts ADD CONSTRAINT login_attempts_pkey PRIMARY KEY (id);
CREATE INDEX login_attempts_address ON public.login_attempts USING btree (address, at) WHERE (NOT ok);
CREATE INDEX login_attempts_at ON public.login_attempts USING btree (at);
CREATE INDEX login_attempts_email ON public.login_attempts USING btree (email, at) WHERE (NOT ok);
GRANT DELETE ON login_attempts TO claimcheck_web;
GRANT INSERT ON login_attempts TO claimcheck_web;
GRANT SELECT ON login_attempts TO claimcheck_web;

CREATE TABLE messages (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    idempotency_key text NOT NULL,
    message_hash bytea NOT NULL,
    source_hash bytea NOT NULL,
    trace_id text NOT NULL,
    partition_key text NOT NULL,
    ledger_entity text NOT NULL,
    currency text NOT NULL,
    variance_amount numeric NOT NULL,
    match_decision text NOT NULL,
    source text NOT NULL,
    received_by integer NOT NULL,
    received_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE messages ADD CONSTRAINT messages_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE messages ADD CONSTRAINT messages_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)));
ALTER TABLE messages ADD CONSTRAINT messages_key_once UNIQUE (project_id, idempotency_key);
ALTER TABLE messages ADD CONSTRAINT messages_ledger_entity_check CHECK (((length(ledger_entity) >= 1) AND (length(ledger_entity) <= 200)));
ALTER TABLE messages ADD CONSTRAINT messages_match_decision_check CHECK ((match_decision = ANY (ARRAY['MATCHED'::text, 'PARTIAL'::text, 'UNMATCHED'::text])));
ALTER TABLE messages ADD CONSTRAINT messages_match_has_no_variance CHECK (((match_decision <> 'MATCHED'::text) OR (variance_amount = (0)::numeric)));
ALTER TABLE messages ADD CONSTRAINT messages_message_hash_check CHECK ((octet_length(message_hash) = 32));
ALTER TABLE messages ADD CONSTRAINT messages_partition_key_check CHECK (((length(partition_key) >= 1) AND (length(partition_key) <= 200)));
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE messages ADD CONSTRAINT messages_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE messages ADD CONSTRAINT messages_received_by_fkey FOREIGN KEY (received_by) REFERENCES people(id);
ALTER TABLE messages ADD CONSTRAINT messages_source_check CHECK ((source = ANY (ARRAY['http'::text, 'file'::text, 'stream'::text, 'replay'::text])));
ALTER TABLE messages ADD CONSTRAINT messages_source_hash_check CHECK ((octet_length(source_hash) = 32));
ALTER TABLE messages ADD CONSTRAINT messages_trace_id_check CHECK (((length(trace_id) >= 1) AND (length(trace_id) <= 200)));
CREATE INDEX messages_amount ON public.messages USING btree (project_id, abs(variance_amount), id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.messages FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.messages FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON messages TO claimcheck_web;
GRANT SELECT ON messages TO claimcheck_web;
GRANT SELECT ON messages TO claimcheck_worker;

CREATE TABLE migrations (
    name text NOT NULL,
    checksum text NOT NULL);
ALTER TABLE migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
GRANT SELECT ON migrations TO claimcheck_web;
GRANT SELECT ON migrations TO claimcheck_worker;

CREATE TABLE notices (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    alert_id bigint,
    person_id integer);
ALTER TABLE notices ADD CONSTRAINT notices_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id);
ALTER TABLE notices ADD CONSTRAINT notices_once UNIQUE (project_id, key);
ALTER TABLE notices ADD CONSTRAINT notices_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE notices ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
ALTER TABLE notices ADD CONSTRAINT notices_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE INDEX notices_of_alerts ON public.notices USING btree (alert_id) WHERE (alert_id IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.notices FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.notices FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON notices TO claimcheck_web;
GRANT SELECT ON notices TO claimcheck_web;
GRANT INSERT ON notices TO claimcheck_worker;
GRANT SELECT ON notices TO claimcheck_worker;

CREATE TABLE operator_alerts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    labels text NOT NULL,
    severity text NOT NULL,
    summary text NOT NULL,
    description text NOT NULL,
    raised_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    cleared_at timestamp with time zone);
ALTER TABLE operator_alerts ADD CONSTRAINT operator_alerts_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX operator_alerts_once ON public.operator_alerts USING btree (name, labels) WHERE (cleared_at IS NULL);
GRANT SELECT ON operator_alerts TO claimcheck_web;
GRANT INSERT ON operator_alerts TO claimcheck_worker;
GRANT SELECT ON operator_alerts TO claimcheck_worker;
GRANT UPDATE (cleared_at) ON operator_alerts TO claimcheck_worker;

CREATE TABLE operator_notices (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    alert_id bigint NOT NULL,
    over boolean NOT NULL,
    person_id integer,
    state text NOT NULL DEFAULT 'pending'::text,
    attempts integer NOT NULL DEFAULT 0,
    due timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    last_error text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE operator_notices ADD CONSTRAINT operator_notices_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES operator_alerts(id);
ALTER TABLE operator_notices ADD CONSTRAINT operator_notices_once UNIQUE NULLS NOT DISTINCT (alert_id, over, person_id);
ALTER TABLE operator_notices ADD CONSTRAINT operator_notices_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE operator_notices ADD CONSTRAINT operator_notices_pkey PRIMARY KEY (id);
ALTER TABLE operator_notices ADD CONSTRAINT operator_notices_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'dead'::text])));
CREATE INDEX operator_notices_due ON public.operator_notices USING btree (due) WHERE (state = 'pending'::text);
GRANT SELECT ON operator_notices TO claimcheck_web;
GRANT INSERT ON operator_notices TO claimcheck_worker;
GRANT SELECT ON operator_notices TO claimcheck_worker;
GRANT UPDATE (attempts, due, last_error, state) ON operator_notices TO claimcheck_worker;

CREATE TABLE outbox (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    decision_id bigint,
    effect_id integer NOT NULL,
    partition_id bigint,
    effect_no integer,
    state text NOT NULL DEFAULT 'pending'::text,
    attempts integer NOT NULL DEFAULT 0,
    pushes integer NOT NULL DEFAULT 0,
    due timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    push_due timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    lease uuid,
    lease_until timestamp with time zone,
    last_error text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    done_at timestamp with time zone,
    turn boolean NOT NULL DEFAULT true,
    unanswered integer NOT NULL DEFAULT 0,
    first_tried timestamp with time zone,
    ring_for integer GENERATED ALWAYS AS (
CASE
    WHEN (turn AND (state = ANY (ARRAY['pending'::text, 'leased'::text]))) THEN effect_id
    ELSE NULL::integer
END) STORED,
    leased_for integer GENERATED ALWAYS AS (
CASE
    WHEN (state = 'leased'::text) THEN effect_id
    ELSE NULL::integer
END) STORED,
    notice_id bigint,
    not_before timestamp with time zone,
    undone boolean NOT NULL DEFAULT false);
ALTER TABLE outbox ADD CONSTRAINT outbox_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE outbox ADD CONSTRAINT outbox_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE outbox ADD CONSTRAINT outbox_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id);
ALTER TABLE outbox ADD CONSTRAINT outbox_once UNIQUE (decision_id, effect_id);
ALTER TABLE outbox ADD CONSTRAINT outbox_partition_id_fkey FOREIGN KEY (partition_id) REFERENCES partitions(id);
ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE outbox ADD CONSTRAINT outbox_sound CHECK ((((partition_id IS NULL) = (effect_no IS NULL)) AND ((state = 'leased'::text) = (lease IS NOT NULL)) AND ((lease IS NULL) = (lease_until IS NULL)) AND ((state = 'done'::text) = (done_at IS NOT NULL)) AND (state = ANY ('{pending,leased,done,dead,skipped}'::text[])) AND ((decision_id IS NULL) = (notice_id IS NOT NULL)) AND ((notice_id IS NULL) OR (partition_id IS NULL))));
CREATE INDEX outbox_dead ON public.outbox USING btree (id) WHERE (state = 'dead'::text);
CREATE INDEX outbox_leased ON public.outbox USING btree (leased_for) WHERE (leased_for IS NOT NULL);
CREATE UNIQUE INDEX outbox_notice_once ON public.outbox USING btree (notice_id, effect_id) WHERE (notice_id IS NOT NULL);
CREATE UNIQUE INDEX outbox_one_turn ON public.outbox USING btree (partition_id) WHERE (turn AND (state = ANY (ARRAY['pending'::text, 'leased'::text, 'dead'::text])));
CREATE INDEX outbox_open ON public.outbox USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'leased'::text, 'dead'::text]));
CREATE UNIQUE INDEX outbox_partition_id_effect_no_key ON public.outbox USING btree (partition_id, effect_no) WHERE (partition_id IS NOT NULL);
CREATE INDEX outbox_ring ON public.outbox USING btree (ring_for, push_due) WHERE (ring_for IS NOT NULL);
CREATE TRIGGER give_item_turn BEFORE INSERT ON public.outbox FOR EACH ROW WHEN (((new.partition_id IS NULL) AND (new.decision_id IS NOT NULL))) EXECUTE FUNCTION give_item_turn();
CREATE TRIGGER give_turn BEFORE INSERT ON public.outbox FOR EACH ROW WHEN ((new.partition_id IS NOT NULL)) EXECUTE FUNCTION give_turn();
CREATE TRIGGER pass_item_turn AFTER UPDATE OF state ON public.outbox FOR EACH ROW WHEN (((new.partition_id IS NULL) AND (new.decision_id IS NOT NULL) AND new.turn AND (new.state = ANY (ARRAY['done'::text, 'skipped'::text])) AND (old.state <> new.state))) EXECUTE FUNCTION pass_item_turn();
GRANT INSERT ON outbox TO claimcheck_web;
GRANT SELECT ON outbox TO claimcheck_web;
GRANT INSERT ON outbox TO claimcheck_worker;
GRANT SELECT ON outbox TO claimcheck_worker;
GRANT UPDATE (attempts, done_at, due, first_tried, last_error, lease, lease_until, push_due, pushes, state, turn, unanswered, undone) ON outbox TO claimcheck_web;
GRANT UPDATE (attempts, done_at, due, first_tried, last_error, lease, lease_until, push_due, pushes, state, turn, unanswered, undone) ON outbox TO claimcheck_worker;

CREATE TABLE partitions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    key text NOT NULL,
    accepted_no integer NOT NULL,
    last_no integer NOT NULL DEFAULT 0,
    settled_no integer NOT NULL DEFAULT 0,
    promoted_no integer NOT NULL DEFAULT 0,
    effect_no integer NOT NULL DEFAULT 0,
    applied_no integer NOT NULL DEFAULT 0,
    turn_no integer NOT NULL DEFAULT 0);
ALTER TABLE partitions ADD CONSTRAINT partitions_check CHECK (((last_no >= 0) AND (last_no <= accepted_no)));
ALTER TABLE partitions ADD CONSTRAINT partitions_check1 CHECK (((settled_no >= 0) AND (settled_no <= last_no)));
ALTER TABLE partitions ADD CONSTRAINT partitions_check2 CHECK (((applied_no >= 0) AND (applied_no <= effect_no)));
ALTER TABLE partitions ADD CONSTRAINT partitions_head_promoted CHECK ((promoted_no = LEAST((settled_no + 1), last_no)));
ALTER TABLE partitions ADD CONSTRAINT partitions_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200)));
ALTER TABLE partitions ADD CONSTRAINT partitions_pkey PRIMARY KEY (id);
ALTER TABLE partitions ADD CONSTRAINT partitions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE partitions ADD CONSTRAINT partitions_project_id_key_key UNIQUE (project_id, key);
ALTER TABLE partitions ADD CONSTRAINT partitions_turn_given CHECK ((turn_no = LEAST((applied_no + 1), effect_no)));
CREATE INDEX partitions_behind ON public.partitions USING btree (id) WHERE (applied_no < effect_no);
CREATE TRIGGER number_turn BEFORE UPDATE OF effect_no ON public.partitions FOR EACH ROW EXECUTE FUNCTION number_turn();
GRANT INSERT ON partitions TO claimcheck_web;
GRANT SELECT ON partitions TO claimcheck_web;
GRANT SELECT ON partitions TO claimcheck_worker;
GRANT UPDATE (accepted_no, applied_no, effect_no, last_no, promoted_no, settled_no, turn_no) ON partitions TO claimcheck_web;
GRANT UPDATE (accepted_no, applied_no, effect_no, last_no, promoted_no, settled_no, turn_no) ON partitions TO claimcheck_worker;

CREATE TABLE password_links (
    hash bytea NOT NULL,
    person_id integer NOT NULL,
    created_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone);
ALTER TABLE password_links ADD CONSTRAINT password_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE password_links ADD CONSTRAINT password_links_hash_check CHECK ((octet_length(hash) = 32));
ALTER TABLE password_links ADD CONSTRAINT password_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE password_links ADD CONSTRAINT password_links_pkey PRIMARY KEY (hash);
CREATE INDEX password_links_person ON public.password_links USING btree (person_id) WHERE (used_at IS NULL);
GRANT INSERT ON password_links TO claimcheck_web;
GRANT SELECT ON password_links TO claimcheck_web;
GRANT UPDATE (used_at) ON password_links TO claimcheck_web;

CREATE TABLE passwords (
    person_id integer NOT NULL,
    hash text NOT NULL,
    set_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE passwords ADD CONSTRAINT passwords_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE passwords ADD CONSTRAINT passwords_pkey PRIMARY KEY (person_id);
GRANT INSERT ON passwords TO claimcheck_web;
GRANT SELECT ON passwords TO claimcheck_web;
GRANT UPDATE (hash, set_at) ON passwords TO claimcheck_web;

CREATE TABLE payouts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    assignment_id bigint,
    person_id integer NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    reverses bigint,
    why text NOT NULL DEFAULT 'look'::text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    project_id integer);
ALTER TABLE payouts ADD CONSTRAINT payouts_assignment_id_fkey FOREIGN KEY (assignment_id) REFERENCES assignments(id);
ALTER TABLE payouts ADD CONSTRAINT payouts_check CHECK (
CASE
    WHEN (reverses IS NOT NULL) THEN (amount_minor <= 0)
    WHEN (assignment_id IS NOT NULL) THEN ((amount_minor >= 0) AND (project_id IS NULL))
    ELSE (project_id IS NOT NULL)
END);
ALTER TABLE payouts ADD CONSTRAINT payouts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE payouts ADD CONSTRAINT payouts_pkey PRIMARY KEY (id);
ALTER TABLE payouts ADD CONSTRAINT payouts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE payouts ADD CONSTRAINT payouts_reverses_fkey FOREIGN KEY (reverses) REFERENCES payouts(id);
CREATE UNIQUE INDEX payouts_once ON public.payouts USING btree (assignment_id) WHERE (reverses IS NULL);
CREATE INDEX payouts_person ON public.payouts USING btree (person_id, id);
CREATE UNIQUE INDEX payouts_reverses_key ON public.payouts USING btree (reverses) WHERE (reverses IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.payouts FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON payouts TO claimcheck_web;
GRANT SELECT ON payouts TO claimcheck_web;
GRANT SELECT ON payouts TO claimcheck_worker;
GRANT INSERT (amount_minor, currency, person_id, project_id, why) ON payouts TO claimcheck_worker;

CREATE TABLE people (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    email text,
    role text NOT NULL,
    customer_id integer,
    program boolean NOT NULL DEFAULT false,
    pseudonym text NOT NULL DEFAULT ('p-'::text || substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 10)),
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    meant_until timestamp with time zone);
ALTER TABLE people ADD CONSTRAINT people_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id);
ALTER TABLE people ADD CONSTRAINT people_customer_of CHECK (((role = 'customer'::text) = (customer_id IS NOT NULL)));
ALTER TABLE people ADD CONSTRAINT people_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254))));
ALTER TABLE people ADD CONSTRAINT people_email_once UNIQUE (email);
ALTER TABLE people ADD CONSTRAINT people_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
ALTER TABLE people ADD CONSTRAINT people_name_key UNIQUE (name);
ALTER TABLE people ADD CONSTRAINT people_pkey PRIMARY KEY (id);
ALTER TABLE people ADD CONSTRAINT people_pseudonym_key UNIQUE (pseudonym);
ALTER TABLE people ADD CONSTRAINT people_role_check CHECK ((role = ANY (ARRAY['reviewer'::text, 'lead'::text, 'customer'::text, 'operator'::text, 'system'::text])));
CREATE INDEX people_leads ON public.people USING btree (id) WHERE ((role = 'lead'::text) AND (disabled_at IS NULL) AND (NOT program));
GRANT INSERT ON people TO claimcheck_web;
GRANT SELECT ON people TO claimcheck_web;
GRANT SELECT ON people TO claimcheck_worker;
GRANT UPDATE (customer_id, disabled_at, name, role) ON people TO claimcheck_web;

CREATE TABLE person_skills (
    person_id integer NOT NULL,
    skill_id integer NOT NULL,
    tier smallint NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'active'::text,
    pinned boolean NOT NULL DEFAULT false,
    novice boolean NOT NULL DEFAULT false,
    held_back boolean NOT NULL DEFAULT false,
    looks integer NOT NULL DEFAULT 0,
    gold_every smallint NOT NULL DEFAULT 0,
    gold_salt integer NOT NULL DEFAULT ((random() * (2147483647)::double precision))::integer,
    extra_left smallint NOT NULL DEFAULT 0,
    said text NOT NULL DEFAULT ''::text,
    since timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE person_skills ADD CONSTRAINT person_skills_extra_left_check CHECK ((extra_left >= 0));
ALTER TABLE person_skills ADD CONSTRAINT person_skills_gold_every_check CHECK ((gold_every >= 0));
ALTER TABLE person_skills ADD CONSTRAINT person_skills_of_people CHECK ((skill_id <> 0));
ALTER TABLE person_skills ADD CONSTRAINT person_skills_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE person_skills ADD CONSTRAINT person_skills_pkey PRIMARY KEY (person_id, skill_id) INCLUDE (tier, status);
ALTER TABLE person_skills ADD CONSTRAINT person_skills_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
ALTER TABLE person_skills ADD CONSTRAINT person_skills_status_check CHECK ((status = ANY (ARRAY['exam'::text, 'active'::text, 'soft_paused'::text, 'paused'::text])));
ALTER TABLE person_skills ADD CONSTRAINT person_skills_tier_check CHECK (((tier >= 0) AND (tier <= 3)));
GRANT DELETE ON person_skills TO claimcheck_web;
GRANT INSERT ON person_skills TO claimcheck_web;
GRANT SELECT ON person_skills TO claimcheck_web;
GRANT SELECT ON person_skills TO claimcheck_worker;
GRANT UPDATE (extra_left, gold_every, held_back, looks, novice, pinned, said, since, status, tier) ON person_skills TO claimcheck_web;
GRANT UPDATE (extra_left, gold_every, held_back, novice, said, since, status, tier) ON person_skills TO claimcheck_worker;

CREATE TABLE pipeline_records (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    decision text NOT NULL,
    project_id integer,
    message_id bigint,
    idempotency_key text,
    trace_id text NOT NULL,
    source_hash bytea,
    match_decision text,
    currency text,
    variance_amount numeric,
    route text,
    queue text,
    item_id bigint,
    dead_letter_id bigint,
    code text,
    worker text NOT NULL,
    settings_version integer NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}'::jsonb);
ALTER TABLE pipeline_records ADD CONSTRAINT pipeline_records_decision_check CHECK ((decision = ANY (ARRAY['admitted'::text, 'repeated'::text, 'refused'::text, 'routed'::text, 'resolved'::text, 'handed_back'::text, 'replayed'::text])));
ALTER TABLE pipeline_records ADD CONSTRAINT pipeline_records_pkey PRIMARY KEY (id);
ALTER TABLE pipeline_records ADD CONSTRAINT pipeline_records_route_check CHECK ((route = ANY (ARRAY['AUTO_RESOLVE'::text, 'ROUTE_REVIEW'::text])));
CREATE INDEX pipeline_records_message ON public.pipeline_records USING btree (message_id, id) WHERE (message_id IS NOT NULL);
CREATE INDEX pipeline_records_trace ON public.pipeline_records USING btree (trace_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.pipeline_records FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER log_later AFTER INSERT ON public.pipeline_records REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION log_later();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.pipeline_records FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON pipeline_records TO claimcheck_web;
GRANT SELECT ON pipeline_records TO claimcheck_web;
GRANT SELECT ON pipeline_records TO claimcheck_worker;

CREATE TABLE pipeline_settings (
    version integer NOT NULL,
    settings jsonb NOT NULL,
    source text NOT NULL,
    why text NOT NULL,
    created_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE pipeline_settings ADD CONSTRAINT pipeline_settings_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE pipeline_settings ADD CONSTRAINT pipeline_settings_pkey PRIMARY KEY (version);
ALTER TABLE pipeline_settings ADD CONSTRAINT pipeline_settings_source_check CHECK ((source = ANY (ARRAY['default'::text, 'file'::text, 'page'::text])));
ALTER TABLE pipeline_settings ADD CONSTRAINT pipeline_settings_version_check CHECK ((version > 0));
ALTER TABLE pipeline_settings ADD CONSTRAINT pipeline_settings_why_check CHECK (((length(why) >= 1) AND (length(why) <= 2000)));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.pipeline_settings FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.pipeline_settings FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON pipeline_settings TO claimcheck_web;
GRANT SELECT ON pipeline_settings TO claimcheck_web;
GRANT SELECT ON pipeline_settings TO claimcheck_worker;

CREATE TABLE pipeline_signal_totals (
    code text NOT NULL,
    n bigint NOT NULL DEFAULT 0);
ALTER TABLE pipeline_signal_totals ADD CONSTRAINT pipeline_signal_totals_code_check CHECK ((code = ANY (ARRAY['QUEUE_SATURATED'::text, 'LEASE_EXPIRED'::text, 'POISON_MESSAGE'::text, 'CONSUMER_LAG'::text])));
ALTER TABLE pipeline_signal_totals ADD CONSTRAINT pipeline_signal_totals_pkey PRIMARY KEY (code);
GRANT SELECT ON pipeline_signal_totals TO claimcheck_web;
GRANT SELECT ON pipeline_signal_totals TO claimcheck_worker;
GRANT UPDATE (n) ON pipeline_signal_totals TO claimcheck_web;

CREATE TABLE pipeline_signals (
    code text NOT NULL,
    minute timestamp with time zone NOT NULL,
    n bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    last_trace_id text,
    last_source_hash bytea,
    last_detail text NOT NULL);
ALTER TABLE pipeline_signals ADD CONSTRAINT pipeline_signals_code_check CHECK ((code = ANY (ARRAY['QUEUE_SATURATED'::text, 'LEASE_EXPIRED'::text, 'POISON_MESSAGE'::text, 'CONSUMER_LAG'::text])));
ALTER TABLE pipeline_signals ADD CONSTRAINT pipeline_signals_pkey PRIMARY KEY (code, minute);
GRANT INSERT ON pipeline_signals TO claimcheck_web;
GRANT SELECT ON pipeline_signals TO claimcheck_web;
GRANT SELECT ON pipeline_signals TO claimcheck_worker;
GRANT UPDATE (last_at, last_detail, last_source_hash, last_trace_id, n) ON pipeline_signals TO claimcheck_web;

CREATE TABLE pipeline_unlogged (
    record_id bigint NOT NULL);
ALTER TABLE pipeline_unlogged ADD CONSTRAINT pipeline_unlogged_pkey PRIMARY KEY (record_id);
GRANT DELETE ON pipeline_unlogged TO claimcheck_web;
GRANT SELECT ON pipeline_unlogged TO claimcheck_web;
GRANT UPDATE ON pipeline_unlogged TO claimcheck_web;
GRANT SELECT ON pipeline_unlogged TO claimcheck_worker;

CREATE TABLE pipeline_workers (
    name text NOT NULL,
    source text NOT NULL,
    settings_version integer NOT NULL,
    started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    stopped_at timestamp with time zone,
    state text NOT NULL,
    queued integer NOT NULL DEFAULT 0,
    in_flight integer NOT NULL DEFAULT 0,
    handled bigint NOT NULL DEFAULT 0,
    measured integer NOT NULL DEFAULT 0,
    p99_ms double precision);
ALTER TABLE pipeline_workers ADD CONSTRAINT pipeline_workers_pkey PRIMARY KEY (name);
ALTER TABLE pipeline_workers ADD CONSTRAINT pipeline_workers_state_check CHECK ((state = ANY (ARRAY['running'::text, 'draining'::text, 'stopped'::text])));
GRANT DELETE ON pipeline_workers TO claimcheck_web;
GRANT INSERT ON pipeline_workers TO claimcheck_web;
GRANT SELECT ON pipeline_workers TO claimcheck_web;
GRANT SELECT ON pipeline_workers TO claimcheck_worker;
GRANT UPDATE (handled, in_flight, measured, p99_ms, queued, seen_at, settings_version, source, started_at, state, stopped_at) ON pipeline_workers TO claimcheck_web;

CREATE TABLE policy_gaps (
    project_id integer NOT NULL,
    feature text NOT NULL,
    value text NOT NULL,
    items integer NOT NULL,
    gaps integer NOT NULL,
    abandoned integer NOT NULL,
    escalated integer NOT NULL,
    disagreed integer NOT NULL,
    overturned integer NOT NULL,
    other_items integer NOT NULL,
    other_gaps integer NOT NULL,
    lift double precision,
    low double precision,
    examples bigint[] NOT NULL);
ALTER TABLE policy_gaps ADD CONSTRAINT policy_gaps_pkey PRIMARY KEY (project_id, feature, value);
ALTER TABLE policy_gaps ADD CONSTRAINT policy_gaps_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE policy_gaps ADD CONSTRAINT policy_gaps_within CHECK (((gaps <= items) AND (other_gaps <= other_items)));
GRANT DELETE ON policy_gaps TO claimcheck_web;
GRANT SELECT ON policy_gaps TO claimcheck_web;
GRANT DELETE ON policy_gaps TO claimcheck_worker;
GRANT INSERT ON policy_gaps TO claimcheck_worker;
GRANT SELECT ON policy_gaps TO claimcheck_worker;

CREATE TABLE processes (
    name text NOT NULL,
    kind text NOT NULL,
    started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    stopped_at timestamp with time zone,
    resting boolean NOT NULL DEFAULT false,
    busy integer NOT NULL DEFAULT 0);
ALTER TABLE processes ADD CONSTRAINT processes_kind_check CHECK ((kind = ANY (ARRAY['worker'::text, 'dispatcher'::text, 'publisher'::text, 'intake'::text])));
ALTER TABLE processes ADD CONSTRAINT processes_pkey PRIMARY KEY (name);
GRANT DELETE ON processes TO claimcheck_web;
GRANT INSERT ON processes TO claimcheck_web;
GRANT SELECT ON processes TO claimcheck_web;
GRANT DELETE ON processes TO claimcheck_worker;
GRANT INSERT ON processes TO claimcheck_worker;
GRANT SELECT ON processes TO claimcheck_worker;
GRANT UPDATE (busy, kind, resting, seen_at, started_at, stopped_at) ON processes TO claimcheck_web;
GRANT UPDATE (busy, kind, resting, seen_at, started_at, stopped_at) ON processes TO claimcheck_worker;

CREATE TABLE project_clocks (
    project_id integer NOT NULL,
    lane_id integer NOT NULL,
    priority smallint NOT NULL,
    clock double precision NOT NULL);
ALTER TABLE project_clocks ADD CONSTRAINT project_clocks_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES lanes(id);
ALTER TABLE project_clocks ADD CONSTRAINT project_clocks_pkey PRIMARY KEY (project_id, lane_id, priority);
ALTER TABLE project_clocks ADD CONSTRAINT project_clocks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE INDEX project_clocks_lane ON public.project_clocks USING btree (lane_id);
GRANT INSERT ON project_clocks TO claimcheck_web;
GRANT SELECT ON project_clocks TO claimcheck_web;
GRANT INSERT ON project_clocks TO claimcheck_worker;
GRANT SELECT ON project_clocks TO claimcheck_worker;
GRANT UPDATE (clock) ON project_clocks TO claimcheck_web;
GRANT UPDATE (clock) ON project_clocks TO claimcheck_worker;

CREATE TABLE project_versions (
    project_id integer NOT NULL,
    version integer NOT NULL,
    shown_version integer NOT NULL,
    rules jsonb NOT NULL,
    created_by integer NOT NULL,
    why text NOT NULL DEFAULT ''::text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    guidance_version integer NOT NULL DEFAULT 1);
ALTER TABLE project_versions ADD CONSTRAINT project_versions_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE project_versions ADD CONSTRAINT project_versions_once PRIMARY KEY (project_id, version);
ALTER TABLE project_versions ADD CONSTRAINT project_versions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE project_versions ADD CONSTRAINT project_versions_version_check CHECK ((version > 0));
CREATE INDEX project_versions_guidance ON public.project_versions USING btree (project_id, version) WHERE (guidance_version = version);
CREATE INDEX project_versions_watch ON public.project_versions USING btree (project_id, version) WHERE ((rules ->> 'watch'::text) IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.project_versions FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.project_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER number_guidance BEFORE INSERT ON public.project_versions FOR EACH ROW EXECUTE FUNCTION number_guidance();
GRANT INSERT ON project_versions TO claimcheck_web;
GRANT SELECT ON project_versions TO claimcheck_web;
GRANT SELECT ON project_versions TO claimcheck_worker;

CREATE TABLE projects (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    customer_id integer NOT NULL,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    shown_version integer NOT NULL DEFAULT 1,
    skill_id integer NOT NULL,
    wanted smallint NOT NULL DEFAULT 1,
    lease_seconds integer NOT NULL DEFAULT 1800,
    max_hold_seconds integer NOT NULL DEFAULT 14400,
    idle_seconds integer NOT NULL DEFAULT 300,
    abandon_limit smallint NOT NULL DEFAULT 3,
    weight double precision NOT NULL DEFAULT 1,
    priority smallint NOT NULL DEFAULT 0,
    deadline timestamp with time zone,
    price_minor bigint NOT NULL DEFAULT 0,
    currency text NOT NULL DEFAULT 'EUR'::text,
    created_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    paused_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    rehashed_version integer NOT NULL DEFAULT 1,
    ranked_version integer NOT NULL DEFAULT 1,
    halt_no integer NOT NULL DEFAULT 0,
    halted_no integer NOT NULL DEFAULT 0,
    sweep_until timestamp with time zone,
    boost double precision NOT NULL DEFAULT 1,
    boosted_at timestamp with time zone,
    boost_off boolean NOT NULL DEFAULT false,
    four_eyes jsonb);
ALTER TABLE projects ADD CONSTRAINT keep_four_eyes TRIGGER DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE projects ADD CONSTRAINT projects_abandon_limit_check CHECK ((abandon_limit > 0));
ALTER TABLE projects ADD CONSTRAINT projects_boost_check CHECK (((boost >= (1)::double precision) AND (boost <= (64)::double precision)));
ALTER TABLE projects ADD CONSTRAINT projects_check CHECK ((max_hold_seconds >= lease_seconds));
ALTER TABLE projects ADD CONSTRAINT projects_check1 CHECK ((shown_version <= version));
ALTER TABLE projects ADD CONSTRAINT projects_check2 CHECK ((rehashed_version <= shown_version));
ALTER TABLE projects ADD CONSTRAINT projects_check3 CHECK ((ranked_version <= version));
ALTER TABLE projects ADD CONSTRAINT projects_check4 CHECK ((halted_no <= halt_no));
ALTER TABLE projects ADD CONSTRAINT projects_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id);
ALTER TABLE projects ADD CONSTRAINT projects_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE projects ADD CONSTRAINT projects_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id);
ALTER TABLE projects ADD CONSTRAINT projects_four_eyes_check CHECK ((jsonb_typeof(four_eyes) = 'array'::text));
ALTER TABLE projects ADD CONSTRAINT projects_idle_seconds_check CHECK ((idle_seconds > 0));
ALTER TABLE projects ADD CONSTRAINT projects_lease_seconds_check CHECK ((lease_seconds > 0));
ALTER TABLE projects ADD CONSTRAINT projects_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
ALTER TABLE projects ADD CONSTRAINT projects_name_once UNIQUE (customer_id, name);
ALTER TABLE projects ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE projects ADD CONSTRAINT projects_price_minor_check CHECK ((price_minor >= 0));
ALTER TABLE projects ADD CONSTRAINT projects_priority_check CHECK (((priority >= '-10'::integer) AND (priority <= 20)));
ALTER TABLE projects ADD CONSTRAINT projects_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
ALTER TABLE projects ADD CONSTRAINT projects_wanted_check CHECK (((wanted >= 1) AND (wanted <= 20)));
ALTER TABLE projects ADD CONSTRAINT projects_weight_check CHECK ((weight > (0)::double precision));
CREATE INDEX projects_four_eyes ON public.projects USING btree (id) WHERE (four_eyes IS NOT NULL);
CREATE INDEX projects_unswept ON public.projects USING btree (sweep_until) WHERE ((ranked_version < version) OR (halted_no < halt_no));
CREATE CONSTRAINT TRIGGER keep_four_eyes AFTER UPDATE OF four_eyes, version ON public.projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_four_eyes();
GRANT INSERT ON projects TO claimcheck_web;
GRANT SELECT ON projects TO claimcheck_web;
GRANT SELECT ON projects TO claimcheck_worker;
GRANT UPDATE (abandon_limit, boost, boost_off, boosted_at, cancelled_at, currency, deadline, four_eyes, halt_no, halted_no, idle_seconds, lease_seconds, max_hold_seconds, paused_at, price_minor, priority, ranked_version, rehashed_version, shown_version, sweep_until, version, wanted, weight) ON projects TO claimcheck_web;
GRANT UPDATE (boost, boosted_at, halted_no, id, ranked_version, rehashed_version, sweep_until) ON projects TO claimcheck_worker;

CREATE TABLE proposals (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    item_id bigint NOT NULL,
    task_id bigint NOT NULL,
    project_id integer NOT NULL,
    project_version integer NOT NULL,
    person_id integer NOT NULL,
    verdict text,
    answer jsonb,
    outcome text NOT NULL,
    supersedes bigint,
    evidence_version integer NOT NULL,
    shown_version integer NOT NULL,
    evidence_hash bytea NOT NULL,
    reason_code text NOT NULL,
    note text NOT NULL DEFAULT ''::text,
    rule jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE proposals ADD CONSTRAINT proposals_evidence_hash_check CHECK ((octet_length(evidence_hash) = 32));
ALTER TABLE proposals ADD CONSTRAINT proposals_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE proposals ADD CONSTRAINT proposals_outcome_check CHECK ((outcome = ANY (ARRAY['approve'::text, 'reject'::text, 'answer'::text, 'reopen'::text])));
ALTER TABLE proposals ADD CONSTRAINT proposals_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE proposals ADD CONSTRAINT proposals_pkey PRIMARY KEY (id);
ALTER TABLE proposals ADD CONSTRAINT proposals_project_id_project_version_fkey FOREIGN KEY (project_id, project_version) REFERENCES project_versions(project_id, version);
ALTER TABLE proposals ADD CONSTRAINT proposals_project_id_reason_code_fkey FOREIGN KEY (project_id, reason_code) REFERENCES reason_codes(project_id, code);
ALTER TABLE proposals ADD CONSTRAINT proposals_supersedes_fkey FOREIGN KEY (supersedes) REFERENCES decisions(id);
ALTER TABLE proposals ADD CONSTRAINT proposals_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
CREATE INDEX proposals_item ON public.proposals USING btree (item_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.proposals FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON proposals TO claimcheck_web;
GRANT SELECT ON proposals TO claimcheck_web;
GRANT SELECT ON proposals TO claimcheck_worker;

CREATE TABLE queues (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    name text NOT NULL,
    lane_id integer NOT NULL,
    lease_seconds integer,
    paused_at timestamp with time zone);
ALTER TABLE queues ADD CONSTRAINT queues_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES lanes(id);
ALTER TABLE queues ADD CONSTRAINT queues_lease_seconds_check CHECK ((lease_seconds > 0));
ALTER TABLE queues ADD CONSTRAINT queues_pkey PRIMARY KEY (id);
ALTER TABLE queues ADD CONSTRAINT queues_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE queues ADD CONSTRAINT queues_project_id_name_key UNIQUE (project_id, name);
GRANT INSERT ON queues TO claimcheck_web;
GRANT SELECT ON queues TO claimcheck_web;
GRANT SELECT ON queues TO claimcheck_worker;
GRANT UPDATE (lane_id, lease_seconds, paused_at) ON queues TO claimcheck_web;
GRANT UPDATE (id) ON queues TO claimcheck_worker;

CREATE TABLE reason_codes (
    project_id integer NOT NULL,
    code text NOT NULL,
    label text NOT NULL,
    reserved boolean NOT NULL DEFAULT false,
    retired boolean NOT NULL DEFAULT false);
ALTER TABLE reason_codes ADD CONSTRAINT reason_codes_code_check CHECK (((length(code) >= 1) AND (length(code) <= 100)));
ALTER TABLE reason_codes ADD CONSTRAINT reason_codes_pkey PRIMARY KEY (project_id, code);
ALTER TABLE reason_codes ADD CONSTRAINT reason_codes_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
GRANT INSERT ON reason_codes TO claimcheck_web;
GRANT SELECT ON reason_codes TO claimcheck_web;
GRANT SELECT ON reason_codes TO claimcheck_worker;
GRANT UPDATE (label, retired) ON reason_codes TO claimcheck_web;

CREATE TABLE reconsiderations (
    decision_id bigint NOT NULL,
    person_id integer NOT NULL,
    note text NOT NULL,
    asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    answered_by integer,
    answer text,
    answered_at timestamp with time zone);
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES people(id);
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_check CHECK ((num_nulls(answered_by, answer, answered_at) = ANY (ARRAY[0, 3])));
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_note_check CHECK (((length(note) >= 1) AND (length(note) <= 2000)));
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE reconsiderations ADD CONSTRAINT reconsiderations_pkey PRIMARY KEY (decision_id);
CREATE INDEX reconsiderations_open ON public.reconsiderations USING btree (asked_at) WHERE (answered_at IS NULL);
GRANT INSERT ON reconsiderations TO claimcheck_web;
GRANT SELECT ON reconsiderations TO claimcheck_web;
GRANT SELECT ON reconsiderations TO claimcheck_worker;
GRANT UPDATE (answer, answered_at, answered_by) ON reconsiderations TO claimcheck_web;

CREATE TABLE retraction_waits (
    retraction_id bigint NOT NULL,
    item_id bigint NOT NULL,
    approval_id bigint NOT NULL,
    own boolean NOT NULL,
    due boolean NOT NULL);
ALTER TABLE retraction_waits ADD CONSTRAINT retraction_waits_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id);
ALTER TABLE retraction_waits ADD CONSTRAINT retraction_waits_once PRIMARY KEY (retraction_id, item_id, approval_id);
ALTER TABLE retraction_waits ADD CONSTRAINT retraction_waits_retraction_id_item_id_fkey FOREIGN KEY (retraction_id, item_id) REFERENCES tombstones(retraction_id, item_id);
CREATE INDEX retraction_waits_approval ON public.retraction_waits USING btree (approval_id);
CREATE INDEX retraction_waits_due ON public.retraction_waits USING btree (retraction_id, item_id) WHERE due;
CREATE TRIGGER no_delete BEFORE DELETE ON public.retraction_waits FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.retraction_waits FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON retraction_waits TO claimcheck_worker;
GRANT UPDATE (due) ON retraction_waits TO claimcheck_worker;

CREATE TABLE retractions (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    person_id integer NOT NULL,
    since timestamp with time zone NOT NULL,
    looks_to bigint NOT NULL,
    scope text NOT NULL,
    relabel boolean NOT NULL,
    reason text NOT NULL,
    dataset_id bigint NOT NULL,
    requested_by integer NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE retractions ADD CONSTRAINT retractions_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id);
ALTER TABLE retractions ADD CONSTRAINT retractions_dataset_id_key UNIQUE (dataset_id);
ALTER TABLE retractions ADD CONSTRAINT retractions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE retractions ADD CONSTRAINT retractions_pkey PRIMARY KEY (id);
ALTER TABLE retractions ADD CONSTRAINT retractions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE retractions ADD CONSTRAINT retractions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000)));
ALTER TABLE retractions ADD CONSTRAINT retractions_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES people(id);
ALTER TABLE retractions ADD CONSTRAINT retractions_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'since'::text, 'change'::text])));
CREATE INDEX retractions_project ON public.retractions USING btree (project_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.retractions FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.retractions FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON retractions TO claimcheck_web;
GRANT SELECT ON retractions TO claimcheck_web;
GRANT SELECT ON retractions TO claimcheck_worker;

CREATE TABLE saved_views (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    person_id integer NOT NULL,
    name text NOT NULL,
    shared boolean NOT NULL,
    filters jsonb NOT NULL,
    saved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE saved_views ADD CONSTRAINT saved_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80)));
ALTER TABLE saved_views ADD CONSTRAINT saved_views_name_once UNIQUE (person_id, name);
ALTER TABLE saved_views ADD CONSTRAINT saved_views_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE saved_views ADD CONSTRAINT saved_views_pkey PRIMARY KEY (id);
CREATE INDEX saved_views_shared ON public.saved_views USING btree (name) WHERE shared;
GRANT DELETE ON saved_views TO claimcheck_web;
GRANT INSERT ON saved_views TO claimcheck_web;
GRANT SELECT ON saved_views TO claimcheck_web;
GRANT UPDATE (filters, saved_at, shared) ON saved_views TO claimcheck_web;

CREATE TABLE scores (
    person_id integer NOT NULL,
    skill_id integer NOT NULL,
    ok integer NOT NULL DEFAULT 0,
    n integer NOT NULL DEFAULT 0,
    exam_ok integer NOT NULL DEFAULT 0,
    exam_n integer NOT NULL DEFAULT 0,
    level double precision NOT NULL DEFAULT 0,
    alarms smallint NOT NULL DEFAULT 0,
    extra_ok smallint NOT NULL DEFAULT 0,
    extra_n smallint NOT NULL DEFAULT 0,
    peer_ok double precision NOT NULL DEFAULT 0,
    peer_n double precision NOT NULL DEFAULT 0,
    weight double precision NOT NULL DEFAULT 0.65,
    mean double precision NOT NULL DEFAULT 0.7,
    low double precision NOT NULL DEFAULT 0,
    high double precision NOT NULL DEFAULT 1,
    updated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE scores ADD CONSTRAINT scores_check CHECK ((ok <= n));
ALTER TABLE scores ADD CONSTRAINT scores_check1 CHECK ((exam_ok <= exam_n));
ALTER TABLE scores ADD CONSTRAINT scores_check2 CHECK ((extra_ok <= extra_n));
ALTER TABLE scores ADD CONSTRAINT scores_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE scores ADD CONSTRAINT scores_pkey PRIMARY KEY (person_id, skill_id);
ALTER TABLE scores ADD CONSTRAINT scores_skill_id_fkey FOREIGN KEY (skill_id) REFERENCES skills(id);
CREATE INDEX scores_learned ON public.scores USING btree (skill_id, updated_at);
GRANT INSERT ON scores TO claimcheck_web;
GRANT SELECT ON scores TO claimcheck_web;
GRANT UPDATE ON scores TO claimcheck_web;
GRANT INSERT ON scores TO claimcheck_worker;
GRANT SELECT ON scores TO claimcheck_worker;
GRANT UPDATE ON scores TO claimcheck_worker;

CREATE TABLE sessions (
    hash bytea NOT NULL,
    person_id integer NOT NULL,
    address inet,
    agent text NOT NULL DEFAULT ''::text,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone);
ALTER TABLE sessions ADD CONSTRAINT sessions_hash_check CHECK ((octet_length(hash) = 32));
ALTER TABLE sessions ADD CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
CREATE INDEX sessions_person ON public.sessions USING btree (person_id) WHERE (ended_at IS NULL);
GRANT INSERT ON sessions TO claimcheck_web;
GRANT SELECT ON sessions TO claimcheck_web;
GRANT UPDATE (ended_at, last_seen_at) ON sessions TO claimcheck_web;

CREATE TABLE signing_keys (
    id text NOT NULL,
    public_key text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE signing_keys ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
GRANT INSERT ON signing_keys TO claimcheck_web;
GRANT SELECT ON signing_keys TO claimcheck_web;
GRANT INSERT ON signing_keys TO claimcheck_worker;
GRANT SELECT ON signing_keys TO claimcheck_worker;

CREATE TABLE skills (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    exam boolean NOT NULL DEFAULT false,
    gold_rate double precision NOT NULL DEFAULT 0.05,
    novice_rate double precision NOT NULL DEFAULT 0.2,
    temperature double precision NOT NULL DEFAULT 1,
    newcomer double precision NOT NULL DEFAULT 0.65,
    weighs boolean NOT NULL DEFAULT true,
    fitted_at timestamp with time zone);
ALTER TABLE skills ADD CONSTRAINT skills_gold_rate_check CHECK (((gold_rate >= (0)::double precision) AND (gold_rate <= (1)::double precision)));
ALTER TABLE skills ADD CONSTRAINT skills_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)));
ALTER TABLE skills ADD CONSTRAINT skills_name_key UNIQUE (name);
ALTER TABLE skills ADD CONSTRAINT skills_newcomer_check CHECK (((newcomer >= (0)::double precision) AND (newcomer <= (1)::double precision)));
ALTER TABLE skills ADD CONSTRAINT skills_novice_rate_check CHECK (((novice_rate >= (0)::double precision) AND (novice_rate <= (1)::double precision)));
ALTER TABLE skills ADD CONSTRAINT skills_pkey PRIMARY KEY (id);
ALTER TABLE skills ADD CONSTRAINT skills_temperature_check CHECK ((temperature >= (1)::double precision));
GRANT INSERT ON skills TO claimcheck_web;
GRANT SELECT ON skills TO claimcheck_web;
GRANT SELECT ON skills TO claimcheck_worker;
GRANT UPDATE (exam, gold_rate, novice_rate) ON skills TO claimcheck_web;
GRANT UPDATE (fitted_at, newcomer, temperature, weighs) ON skills TO claimcheck_worker;

CREATE TABLE spool (
    item_id bigint NOT NULL,
    version integer NOT NULL,
    n smallint NOT NULL,
    bytes bytea NOT NULL);
ALTER TABLE spool ADD CONSTRAINT spool_item_id_version_n_fkey FOREIGN KEY (item_id, version, n) REFERENCES evidence_parts(item_id, version, n);
ALTER TABLE spool ADD CONSTRAINT spool_pkey PRIMARY KEY (item_id, version, n);
GRANT INSERT ON spool TO claimcheck_web;
GRANT SELECT ON spool TO claimcheck_web;
GRANT DELETE ON spool TO claimcheck_worker;
GRANT SELECT ON spool TO claimcheck_worker;

CREATE TABLE standings (
    item_id bigint NOT NULL,
    decision_id bigint NOT NULL,
    outcome text NOT NULL,
    times integer NOT NULL DEFAULT 1,
    since timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE standings ADD CONSTRAINT standings_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE standings ADD CONSTRAINT standings_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE standings ADD CONSTRAINT standings_pkey PRIMARY KEY (item_id);
GRANT SELECT ON standings TO claimcheck_web;
GRANT INSERT ON standings TO claimcheck_worker;
GRANT SELECT ON standings TO claimcheck_worker;
GRANT UPDATE (decision_id, outcome, since, times) ON standings TO claimcheck_worker;

CREATE TABLE tasks (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    item_id bigint NOT NULL,
    project_id integer NOT NULL,
    parent_id bigint,
    kind text NOT NULL,
    queue_id integer NOT NULL,
    lane_id integer NOT NULL,
    priority smallint NOT NULL,
    rank double precision NOT NULL,
    since timestamp with time zone NOT NULL,
    wanted smallint NOT NULL,
    abandon_limit smallint,
    price_minor bigint NOT NULL,
    evidence_version integer NOT NULL,
    shown_version integer NOT NULL,
    evidence_hash bytea NOT NULL,
    partition_id bigint,
    partition_no integer,
    waits boolean NOT NULL DEFAULT false,
    paused boolean NOT NULL DEFAULT false,
    seen_by integer[] NOT NULL DEFAULT '{}'::integer[],
    skipped_by integer[] NOT NULL DEFAULT '{}'::integer[],
    barred integer[] NOT NULL DEFAULT '{}'::integer[],
    votes text[] NOT NULL DEFAULT '{}'::text[],
    lease_count integer NOT NULL DEFAULT 0,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    ended_as text,
    ended_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    closed_to integer[] GENERATED ALWAYS AS (((seen_by || skipped_by) || barred)) STORED,
    state text GENERATED ALWAYS AS (
CASE
    WHEN (ended_as = 'decided'::text) THEN 'settled'::text
    WHEN (ended_as IS NOT NULL) THEN 'passed_on'::text
    WHEN (cancelled_at IS NOT NULL) THEN 'cancelled'::text
    WHEN (held_for IS NOT NULL) THEN 'held'::text
    WHEN waits THEN 'blocked'::text
    WHEN (cardinality(seen_by) >= wanted) THEN 'full'::text
    WHEN paused THEN 'paused'::text
    WHEN (meant_for IS NOT NULL) THEN 'held'::text
    ELSE 'pending'::text
END) STORED,
    open_in integer GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NULL) AND (kind <> 'gold'::text)) THEN project_id
    ELSE NULL::integer
END) STORED,
    led_in integer GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NULL) AND (kind = ANY (ARRAY['escalation'::text, 'adjudication'::text]))) THEN project_id
    ELSE NULL::integer
END) STORED,
    novice boolean NOT NULL DEFAULT false,
    reserved_until timestamp with time zone,
    held_for bigint,
    open_id bigint GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NULL) AND (kind <> 'gold'::text)) THEN id
    ELSE NULL::bigint
END) STORED,
    open_queue integer GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NULL) AND (kind <> 'gold'::text)) THEN queue_id
    ELSE NULL::integer
END) STORED,
    led_id bigint GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NULL) AND (kind = ANY (ARRAY['escalation'::text, 'adjudication'::text]))) THEN id
    ELSE NULL::bigint
END) STORED,
    stopped_in integer GENERATED ALWAYS AS (
CASE
    WHEN ((ended_as IS NULL) AND (cancelled_at IS NOT NULL)) THEN project_id
    ELSE NULL::integer
END) STORED,
    meant_for integer,
    meant_until timestamp with time zone);
ALTER TABLE tasks ADD CONSTRAINT pass_cancelled TRIGGER DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE tasks ADD CONSTRAINT tasks_blocked_untouched CHECK (((NOT waits) OR ((partition_id IS NOT NULL) AND (lease_count = 0) AND (ended_as IS NULL))));
ALTER TABLE tasks ADD CONSTRAINT tasks_held_for_fkey FOREIGN KEY (held_for) REFERENCES batch_decisions(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES lanes(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_leads_decide CHECK (((kind <> ALL (ARRAY['escalation'::text, 'adjudication'::text])) OR (ended_as IS NULL) OR (ended_as = ANY (ARRAY['decided'::text, 'returned'::text, 'proposed'::text]))));
ALTER TABLE tasks ADD CONSTRAINT tasks_looks_within_wanted CHECK (((cardinality(votes) <= cardinality(seen_by)) AND (cardinality(seen_by) <= wanted) AND (cardinality(seen_by) <= lease_count)));
ALTER TABLE tasks ADD CONSTRAINT tasks_meant CHECK (((meant_for IS NULL) = (meant_until IS NULL)));
ALTER TABLE tasks ADD CONSTRAINT tasks_meant_for_fkey FOREIGN KEY (meant_for) REFERENCES people(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tasks(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_partition_id_fkey FOREIGN KEY (partition_id) REFERENCES partitions(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE tasks ADD CONSTRAINT tasks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES queues(id);
ALTER TABLE tasks ADD CONSTRAINT tasks_settled_by_all_looks CHECK (((ended_as IS NULL) OR (ended_as = ANY (ARRAY['abandoned'::text, 'returned'::text, 'voided'::text])) OR (cardinality(votes) = wanted) OR ((ended_as = ANY (ARRAY['decided'::text, 'proposed'::text])) AND (cardinality(seen_by) = 0))));
ALTER TABLE tasks ADD CONSTRAINT tasks_sound CHECK (((abandon_limit > 0) AND (price_minor >= 0) AND (priority >= '-10'::integer) AND (priority <= 30) AND (wanted >= 1) AND (wanted <= 20) AND (octet_length(evidence_hash) = 32) AND ((ended_as IS NULL) = (ended_at IS NULL)) AND ((partition_id IS NULL) = (partition_no IS NULL)) AND (NOT (barred && seen_by)) AND (kind = ANY ('{review,gold,adjudication,escalation,approval,relabel}'::text[])) AND (ended_as = ANY ('{decided,escalated,disputed,abandoned,returned,proposed,voided}'::text[]))));
CREATE INDEX tasks_claim ON public.tasks USING btree (lane_id, rank) INCLUDE (since) WHERE (state = 'pending'::text);
CREATE INDEX tasks_item ON public.tasks USING btree (item_id);
CREATE INDEX tasks_led ON public.tasks USING btree (led_in) WHERE (led_in IS NOT NULL);
CREATE UNIQUE INDEX tasks_led_id ON public.tasks USING btree (led_id) WHERE (led_id IS NOT NULL);
CREATE INDEX tasks_looked_at ON public.tasks USING btree (project_id, id) WHERE (wanted > 1);
CREATE INDEX tasks_meant ON public.tasks USING btree (meant_for) WHERE (meant_for IS NOT NULL);
CREATE INDEX tasks_meant_until ON public.tasks USING btree (meant_until) WHERE (meant_until IS NOT NULL);
CREATE INDEX tasks_open ON public.tasks USING btree (open_in, id) WHERE (open_in IS NOT NULL);
CREATE UNIQUE INDEX tasks_open_id ON public.tasks USING btree (open_id) WHERE (open_id IS NOT NULL);
CREATE INDEX tasks_open_queue ON public.tasks USING btree (open_queue, id) WHERE (open_queue IS NOT NULL);
CREATE UNIQUE INDEX tasks_parent_id_key ON public.tasks USING btree (parent_id) WHERE ((parent_id IS NOT NULL) AND (kind <> 'approval'::text));
CREATE INDEX tasks_passed ON public.tasks USING btree (stopped_in) WHERE ((stopped_in IS NOT NULL) AND waits);
CREATE INDEX tasks_stopped ON public.tasks USING btree (stopped_in, id) WHERE (stopped_in IS NOT NULL);
CREATE UNIQUE INDEX tasks_waiting ON public.tasks USING btree (partition_id, partition_no) WHERE waits;
CREATE TRIGGER ended_once BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN ((old.ended_as IS NOT NULL)) EXECUTE FUNCTION refuse();
CREATE TRIGGER keep_look AFTER UPDATE OF ended_as, cancelled_at, evidence_hash, held_for ON public.tasks FOR EACH ROW WHEN ((old.held_for IS NOT NULL)) EXECUTE FUNCTION keep_look();
CREATE TRIGGER no_delete BEFORE DELETE ON public.tasks FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE CONSTRAINT TRIGGER pass_cancelled AFTER UPDATE OF waits ON public.tasks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.waits AND (NOT new.waits) AND (old.cancelled_at IS NOT NULL))) EXECUTE FUNCTION pass_cancelled();
CREATE TRIGGER void_approval BEFORE UPDATE OF evidence_hash ON public.tasks FOR EACH ROW WHEN (((old.kind = 'approval'::text) AND (old.ended_as IS NULL) AND (new.ended_as IS NULL) AND (new.evidence_hash <> old.evidence_hash))) EXECUTE FUNCTION void_approval();
GRANT INSERT ON tasks TO claimcheck_web;
GRANT SELECT ON tasks TO claimcheck_web;
GRANT INSERT ON tasks TO claimcheck_worker;
GRANT SELECT ON tasks TO claimcheck_worker;
GRANT UPDATE (barred, cancelled_at, ended_as, ended_at, evidence_hash, evidence_version, held_for, lane_id, lease_count, meant_for, meant_until, novice, paused, priority, queue_id, rank, reserved_until, seen_by, shown_version, since, skipped_by, votes, waits, wanted) ON tasks TO claimcheck_web;
GRANT UPDATE (barred, cancelled_at, ended_as, ended_at, evidence_hash, evidence_version, held_for, lane_id, lease_count, meant_for, meant_until, novice, paused, priority, queue_id, rank, reserved_until, seen_by, shown_version, since, skipped_by, votes, waits, wanted) ON tasks TO claimcheck_worker;

CREATE TABLE tokens (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    person_id integer NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    revoked_at timestamp with time zone);
ALTER TABLE tokens ADD CONSTRAINT tokens_hash_check CHECK ((octet_length(hash) = 32));
ALTER TABLE tokens ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE tokens ADD CONSTRAINT tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE tokens ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
CREATE INDEX tokens_person ON public.tokens USING btree (person_id) WHERE (revoked_at IS NULL);
GRANT INSERT ON tokens TO claimcheck_web;
GRANT SELECT ON tokens TO claimcheck_web;
GRANT UPDATE (revoked_at) ON tokens TO claimcheck_web;

CREATE TABLE tombstones (
    retraction_id bigint NOT NULL,
    item_id bigint NOT NULL,
    decision_id bigint NOT NULL,
    status text NOT NULL,
    why text NOT NULL,
    flips boolean NOT NULL,
    probability double precision NOT NULL);
ALTER TABLE tombstones ADD CONSTRAINT tombstones_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id);
ALTER TABLE tombstones ADD CONSTRAINT tombstones_item_id_fkey FOREIGN KEY (item_id) REFERENCES items(id);
ALTER TABLE tombstones ADD CONSTRAINT tombstones_pkey PRIMARY KEY (retraction_id, item_id);
ALTER TABLE tombstones ADD CONSTRAINT tombstones_probability_check CHECK (((probability >= (0)::double precision) AND (probability <= (1)::double precision)));
ALTER TABLE tombstones ADD CONSTRAINT tombstones_retraction_id_fkey FOREIGN KEY (retraction_id) REFERENCES retractions(id);
ALTER TABLE tombstones ADD CONSTRAINT tombstones_status_check CHECK ((status = ANY (ARRAY['withdrawn'::text, 'confirmed'::text, 'pending'::text])));
CREATE INDEX tombstones_item ON public.tombstones USING btree (item_id, retraction_id);
CREATE INDEX tombstones_pending ON public.tombstones USING btree (retraction_id, ((NOT flips)), probability, item_id) WHERE (status = 'pending'::text);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.tombstones FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.tombstones FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT ON tombstones TO claimcheck_web;
GRANT INSERT ON tombstones TO claimcheck_worker;
GRANT SELECT ON tombstones TO claimcheck_worker;

CREATE TABLE uploads (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    public_id uuid NOT NULL DEFAULT gen_random_uuid(),
    person_id integer NOT NULL,
    customer_id integer,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    object_key text NOT NULL,
    created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());
ALTER TABLE uploads ADD CONSTRAINT uploads_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id);
ALTER TABLE uploads ADD CONSTRAINT uploads_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
ALTER TABLE uploads ADD CONSTRAINT uploads_pkey PRIMARY KEY (id);
ALTER TABLE uploads ADD CONSTRAINT uploads_public_id_key UNIQUE (public_id);
ALTER TABLE uploads ADD CONSTRAINT uploads_sha256_check CHECK ((octet_length(sha256) = 32));
ALTER TABLE uploads ADD CONSTRAINT uploads_size_check CHECK ((size > 0));
GRANT INSERT ON uploads TO claimcheck_web;
GRANT SELECT ON uploads TO claimcheck_web;
GRANT SELECT ON uploads TO claimcheck_worker;

CREATE TABLE watched_folders (
    project_id integer NOT NULL,
    free_at timestamp with time zone NOT NULL);
ALTER TABLE watched_folders ADD CONSTRAINT watched_folders_pkey PRIMARY KEY (project_id);
ALTER TABLE watched_folders ADD CONSTRAINT watched_folders_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
GRANT INSERT ON watched_folders TO claimcheck_web;
GRANT SELECT ON watched_folders TO claimcheck_web;
GRANT SELECT ON watched_folders TO claimcheck_worker;
GRANT UPDATE (free_at) ON watched_folders TO claimcheck_web;

CREATE TABLE watched_objects (
    project_id integer NOT NULL,
    key text NOT NULL,
    etag text NOT NULL,
    size bigint NOT NULL,
    taken_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    batch_id bigint,
    accepted integer NOT NULL,
    repeated integer NOT NULL,
    refused integer NOT NULL,
    detail text NOT NULL DEFAULT ''::text);
ALTER TABLE watched_objects ADD CONSTRAINT watched_objects_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id);
ALTER TABLE watched_objects ADD CONSTRAINT watched_objects_pkey PRIMARY KEY (project_id, key, etag);
ALTER TABLE watched_objects ADD CONSTRAINT watched_objects_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE INDEX watched_objects_lately ON public.watched_objects USING btree (project_id, taken_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.watched_objects FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.watched_objects FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT INSERT ON watched_objects TO claimcheck_web;
GRANT SELECT ON watched_objects TO claimcheck_web;
GRANT SELECT ON watched_objects TO claimcheck_worker;

CREATE TABLE weighing (
    task_id bigint NOT NULL);
ALTER TABLE weighing ADD CONSTRAINT weighing_pkey PRIMARY KEY (task_id);
ALTER TABLE weighing ADD CONSTRAINT weighing_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id);
GRANT INSERT ON weighing TO claimcheck_web;
GRANT DELETE ON weighing TO claimcheck_worker;
GRANT SELECT ON weighing TO claimcheck_worker;
GRANT UPDATE ON weighing TO claimcheck_worker;

CREATE OR REPLACE FUNCTION public.act_next(of_action bigint)
 RETURNS TABLE(at_n integer, was_done boolean, said text, made bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE a item_actions;
BEGIN
    SELECT x.* INTO a FROM item_actions x WHERE x.id = of_action AND x.state = 'acting' FOR NO KEY UPDATE;
    IF a.id IS NULL THEN RETURN; END IF;
    at_n := a.acted + 1;
    SELECT r.done, r.why, r.decision_id INTO was_done, said, made
      FROM item_action_members m CROSS JOIN LATERAL act_on(a, m.item_id) r WHERE m.action_id = a.id AND m.n = at_n;
    INSERT INTO item_action_ends (action_id, n, done, why) VALUES (a.id, at_n, was_done, said);
    UPDATE item_actions SET acted = at_n, done = a.done + was_done::int, touched_at = clock_timestamp(), state = CASE WHEN at_n = a.members THEN 'done' ELSE 'acting' END
     WHERE id = a.id;
    IF at_n = a.members THEN
        INSERT INTO events (kind, person_id, detail) VALUES ('item_action.done', 0, jsonb_build_object('action', a.id, 'done', a.done + was_done::int, 'of', a.members));
    END IF;
    RETURN NEXT;
END $function$
;

CREATE OR REPLACE FUNCTION public.act_on(a item_actions, of_item bigint, OUT done boolean, OUT why text, OUT decision_id bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE i items; t tasks; locked record; is_settled boolean;
BEGIN
    SELECT * INTO locked FROM lock_item(of_item);
    i := locked.i; t := locked.t;
    is_settled := COALESCE((SELECT d.outcome <> 'reopen' FROM decisions d WHERE d.item_id = i.id AND d.outcome IS NOT NULL ORDER BY d.id DESC LIMIT 1), false);
    why := CASE WHEN NOT EXISTS (SELECT FROM people p WHERE p.id = a.asked_by AND p.role = 'lead' AND p.disabled_at IS NULL) THEN 'who asked for it is a lead no more'
                WHEN i.id IS NULL OR i.gold THEN 'there is no such item'
                WHEN EXISTS (SELECT FROM projects p WHERE p.id = i.project_id AND p.cancelled_at IS NOT NULL) THEN 'its project was cancelled'
                WHEN t.ended_as IS NULL AND t.cancelled_at IS NOT NULL THEN 'it was cancelled before'
                WHEN t.ended_as IS NULL AND t.held_for IS NOT NULL THEN format('batch decision %s holds it', t.held_for)
                WHEN EXISTS (SELECT FROM approvals x WHERE x.open_item = i.id) AND (is_settled OR a.kind <> 'prioritise') THEN 'it waits for a second pair of eyes'
                WHEN is_settled AND a.kind <> 'send_back' THEN 'it is settled'
                WHEN t.id IS NULL AND a.kind NOT IN ('move', 'prioritise') THEN 'it is still being stored' END;
    done := why IS NULL;
    IF NOT done THEN RETURN; END IF;
    IF is_settled THEN
        SELECT r.why, r.decision_id, r.lost IS NULL INTO why, decision_id, done FROM reopen_item(a, i) r;
        RETURN;
    END IF;
    why := CASE a.kind WHEN 'assign' THEN assign_item(a, i, t) WHEN 'move' THEN move_item(a, i, t) WHEN 'prioritise' THEN prioritise_item(a, i, t)
                       WHEN 'send_back' THEN return_item(a, i, t) ELSE cancel_item(a, i, t) END;
    done := why IS NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.advance_clock(of_project integer, of_lane integer, of_priority smallint, n integer, OUT last double precision, OUT step double precision)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
    SELECT 1 / (p.weight * p.boost * 2 ^ of_priority) INTO step FROM projects p WHERE p.id = of_project;
    INSERT INTO project_clocks AS c (project_id, lane_id, priority, clock)
    SELECT of_project, of_lane, of_priority, n * step + COALESCE(
             (SELECT t.rank FROM tasks t WHERE t.lane_id = of_lane AND t.state = 'pending' ORDER BY t.rank LIMIT 1),
             (SELECT max(k.clock) FROM project_clocks k WHERE k.lane_id = of_lane), 0)
        ON CONFLICT (project_id, lane_id, priority) DO UPDATE SET clock = greatest(c.clock + n * step, excluded.clock)
    RETURNING c.clock INTO last;
END $function$
;

CREATE OR REPLACE FUNCTION public.alike_of(i items)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
    SELECT ARRAY[i.queue, COALESCE(m.ledger_entity, n.key, ''), COALESCE(m.match_decision, ''), COALESCE(m.currency, ''), COALESCE(variance_band(m.variance_amount), '')]
      FROM (VALUES (1)) one LEFT JOIN messages m ON m.id = i.message_id LEFT JOIN partitions n ON n.id = i.partition_id $function$
;

CREATE OR REPLACE FUNCTION public.appeal_from(k person_skills)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
    SELECT max(a.answered_at) + interval '7 days' FROM appeals a WHERE a.person_id = k.person_id AND a.skill_id = k.skill_id AND a.answered_at >= k.since $function$
;

CREATE OR REPLACE FUNCTION public.approval_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.state, NEW.version) = ('pending', 1)
       OR TG_OP = 'UPDATE' AND NEW.version = OLD.version + 1 AND (OLD.state, NEW.state) IN (
            ('pending', 'approved'), ('pending', 'rejected'), ('pending', 'voided'), ('approved', 'resolved'), ('rejected', 'resolved'), ('rejected', 'voided'))
          AND (NEW.id, NEW.item_id, NEW.project_id, NEW.task_id, NEW.overturns) = (OLD.id, OLD.item_id, OLD.project_id, OLD.task_id, OLD.overturns) THEN
        INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
        VALUES ('approval.' || CASE TG_OP WHEN 'INSERT' THEN 'asked' ELSE NEW.state END, NEW.moved_by, NEW.project_id, NEW.item_id,
                COALESCE(NEW.decider_id, NEW.task_id), NEW.decision_id, jsonb_build_object('approval', NEW.id, 'version', NEW.version));
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an approval cannot go from % to %', CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'approvals_move';
END $function$
;

CREATE OR REPLACE FUNCTION public.asked_for(d decisions, i items, in_queue text, matched text, stood text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT d.outcome <> 'reopen' AND NOT i.gold AND (in_queue IS NULL OR i.queue = in_queue) AND (matched IS NULL OR i.alike[3] = matched)
       AND (stood IS NULL OR d.outcome = stood) $function$
;

CREATE OR REPLACE FUNCTION public.asked_undone(of_batch bigint, of_decisions bigint[], by_person integer)
 RETURNS bigint[]
 LANGUAGE sql
AS $function$
    SELECT ARRAY(SELECT d FROM unnest(of_decisions) d
                  WHERE EXISTS (SELECT FROM batch_decisions b WHERE b.id = of_batch AND b.state = 'undoing' AND b.undone_by = by_person)
                     OR EXISTS (SELECT FROM batch_undo_asks a WHERE a.decision_id = d AND a.asked_by = by_person AND a.batch_id = of_batch)) $function$
;

CREATE OR REPLACE FUNCTION public.assign_item(a item_actions, i items, t tasks)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE who people; until timestamptz := (a.what ->> 'until')::timestamptz;
BEGIN
    IF a.what ->> 'to' IS NULL THEN
        IF t.meant_for IS NULL THEN RETURN 'it is kept for nobody'; END IF;
        UPDATE tasks SET meant_for = NULL, meant_until = NULL WHERE id = t.id;
        PERFORM note_action(a, 'item.unassigned', i, t, '{}');
        RETURN NULL;
    END IF;
    SELECT p.* INTO who FROM people p WHERE p.id = (a.what ->> 'to')::int;
    IF t.state NOT IN ('pending', 'blocked', 'paused', 'held') THEN RETURN 'somebody holds it'; END IF;
    IF t.wanted > 1 AND cardinality(t.seen_by) > 0 THEN RETURN 'somebody looks at it or has: whom it can still be kept for would tell who'; END IF;
    IF who.disabled_at IS NOT NULL OR who.id = ANY (t.seen_by || t.barred) OR NOT EXISTS (SELECT FROM lanes_of(who.id, who.role) l WHERE l.id = t.lane_id) THEN
        RETURN format('%s may not look at it', who.name);              -- not which of these: earlier looks are blind
    END IF;
    IF (SELECT count(*) FROM tasks x WHERE x.meant_for = who.id AND x.meant_until > clock_timestamp() AND x.id <> t.id) >= 100 THEN
        RETURN format('100 are kept for %s already', who.name);
    END IF;
    UPDATE tasks SET meant_for = who.id, meant_until = until WHERE id = t.id;
    UPDATE people SET meant_until = until WHERE id = who.id AND (meant_until IS NULL OR meant_until < until);
    PERFORM note_action(a, 'item.assigned', i, t, jsonb_build_object('to', who.id, 'until', until));
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.at_limit(t tasks)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT cardinality(t.seen_by) = cardinality(t.votes) + 1 AND t.lease_count - cardinality(t.votes) >= t.abandon_limit AND t.held_for IS NULL $function$
;

CREATE OR REPLACE FUNCTION public.backs(p proposals, said_verdict text, said_answer jsonb)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT CASE p.outcome WHEN 'reopen' THEN (SELECT (said_verdict, said_answer) IS DISTINCT FROM (CASE WHEN d.outcome <> 'answer' THEN d.outcome END, d.answer)
                                                FROM decisions d WHERE d.id = p.supersedes)
                          WHEN 'answer' THEN said_answer IS NOT DISTINCT FROM p.answer
                          ELSE said_verdict IS NOT DISTINCT FROM p.outcome END $function$
;

CREATE OR REPLACE FUNCTION public.cancel_item(a item_actions, i items, t tasks)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE turn boolean := t.partition_id IS NOT NULL AND NOT t.waits AND t.partition_no > (SELECT p.settled_no FROM partitions p WHERE p.id = t.partition_id);
BEGIN
    IF turn AND EXISTS (SELECT FROM assignments x WHERE x.task_id = t.id AND x.ended_at IS NULL AND x.lease_expires > clock_timestamp()) THEN
        RETURN 'somebody holds it, and its partition goes on in order: cancel it when they are done';
    END IF;
    UPDATE tasks SET cancelled_at = clock_timestamp(), meant_for = NULL, meant_until = NULL WHERE id = t.id;
    PERFORM note_action(a, 'item.cancelled', i, t, '{}');
    IF turn THEN PERFORM pass_turn(t.partition_id, t.partition_no); END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.cancelled_alone(t tasks)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT t.cancelled_at IS NOT NULL AND EXISTS (SELECT FROM events e WHERE e.item_id = t.item_id AND e.kind = 'item.cancelled') $function$
;

CREATE OR REPLACE FUNCTION public.decide_batch(of_batch bigint, at_once integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
WITH batch AS MATERIALIZED (
    SELECT b.* FROM batch_decisions b WHERE b.id = of_batch AND b.state = 'deciding' FOR NO KEY UPDATE),
due AS MATERIALIZED (
    SELECT m.*, EXISTS (SELECT FROM batch_draws d WHERE d.batch_id = m.batch_id AND d.n = m.n) AS sampled
      FROM batch JOIN batch_members m ON m.batch_id = batch.id
     WHERE NOT EXISTS (SELECT FROM batch_ends e WHERE e.batch_id = m.batch_id AND e.n = m.n) ORDER BY m.n LIMIT at_once),
locked AS MATERIALIZED (
    SELECT t AS task, due.n, due.evidence_hash, due.sampled FROM due JOIN tasks t ON t.id = due.task_id ORDER BY t.id FOR NO KEY UPDATE OF t),
fenced AS MATERIALIZED (
    SELECT l.*, look.id AS look_id,
           CASE WHEN l.sampled AND look.id IS NOT NULL THEN NULL
                WHEN (l.task).cancelled_at IS NOT NULL THEN 'the project was cancelled'
                WHEN (l.task).ended_as IS NOT NULL OR (l.task).held_for IS DISTINCT FROM batch.id THEN 'it was decided or moved otherwise'
                WHEN (l.task).evidence_hash <> l.evidence_hash THEN 'it changed since it was listed'
                WHEN cardinality((l.task).seen_by) > 0 THEN 'somebody holds it' END AS stale
      FROM locked l CROSS JOIN batch LEFT JOIN LATERAL (
           SELECT d.id FROM decisions d WHERE d.item_id = (l.task).item_id AND d.task_id = (l.task).id AND d.person_id = batch.led_by AND d.assignment_id IS NOT NULL) look ON true),
judged AS MATERIALIZED (                                               -- `rule`: what this would come to needs a second pair of eyes
    SELECT f.*, CASE WHEN f.stale IS NULL AND f.look_id IS NULL AND p.four_eyes IS NOT NULL
                     THEN eyes_rule(p.id, (f.task).item_id, (f.task).id, COALESCE(batch.verdict, 'answer'), false, batch.reason_code) END AS rule
      FROM fenced f CROSS JOIN batch JOIN projects p ON p.id = batch.project_id),
handed_on AS (
    UPDATE tasks t SET ended_as = 'proposed', ended_at = clock_timestamp() FROM judged j WHERE t.id = (j.task).id AND j.rule IS NOT NULL RETURNING t, j.rule),
proposed AS MATERIALIZED (
    SELECT propose(h.t, batch.project_version, batch.led_by, batch.verdict, batch.answer, COALESCE(batch.verdict, 'answer'), NULL, batch.reason_code, batch.note, h.rule) AS id
      FROM (SELECT * FROM handed_on ORDER BY (t).id OFFSET 0) h CROSS JOIN batch),
ended AS (
    UPDATE tasks t SET ended_as = 'decided', ended_at = clock_timestamp()
      FROM judged j WHERE t.id = (j.task).id AND j.stale IS NULL AND j.look_id IS NULL AND j.rule IS NULL
    RETURNING t.id, t.item_id, t.project_id, t.partition_id, t.partition_no, t.evidence_version, t.shown_version, t.evidence_hash, t.ended_at, j.n),
given_back AS (
    UPDATE tasks t SET held_for = NULL FROM judged j WHERE t.id = (j.task).id AND j.stale IS NOT NULL AND (j.task).ended_as IS NULL AND t.held_for = of_batch),
outcome AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, evidence_version, shown_version, evidence_hash,
                           reason_code, note, created_at)
    SELECT ended.item_id, ended.id, ended.project_id, batch.project_version, batch.led_by, batch.verdict, batch.answer, COALESCE(batch.verdict, 'answer'), ended.evidence_version,
           ended.shown_version, ended.evidence_hash, batch.reason_code, batch.note, ended.ended_at
      FROM ended CROSS JOIN batch ORDER BY ended.n
    RETURNING id, item_id, task_id, project_id, outcome, created_at),
turn AS MATERIALIZED (                                                 -- locked in one order, as by intake and publishing
    SELECT p.id FROM partitions p WHERE p.id IN (SELECT partition_id FROM ended) ORDER BY p.key, p.id FOR NO KEY UPDATE),
next AS MATERIALIZED (
    SELECT n.id, n.partition_id, n.partition_no
      FROM turn JOIN ended ON ended.partition_id = turn.id
      JOIN tasks n ON n.partition_id = ended.partition_id AND n.partition_no = ended.partition_no + 1 AND n.waits
       FOR NO KEY UPDATE OF n),
promoted AS (
    UPDATE tasks n SET waits = false FROM next WHERE n.id = next.id RETURNING n.partition_id, n.partition_no),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, o.task_id, o.created_at, e.id AS effect_id, row_number() OVER (PARTITION BY o.id ORDER BY e.kind, e.id)::int AS nth,
           count(*) OVER (PARTITION BY o.id)::int AS of
      FROM outcome o JOIN effects e ON e.project_id = o.project_id AND o.outcome = ANY (e.on_outcomes)),
moved AS (                                                             -- partitions_head_promoted refuses this if an item came in unseen: run again
    UPDATE partitions p
       SET settled_no  = CASE WHEN ended.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(promoted.partition_no, p.promoted_no),
           effect_no   = p.effect_no + COALESCE((SELECT max(w.of) FROM wanted_effects w WHERE w.task_id = ended.id), 0)
      FROM ended LEFT JOIN promoted ON promoted.partition_id = ended.partition_id WHERE p.id = ended.partition_id
    RETURNING p.id, ended.id AS task_id, old.effect_no AS before),
queued AS (                                                            -- not before the undo window is over
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no, due, push_due, not_before)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth, at, at, at
      FROM wanted_effects w CROSS JOIN batch LEFT JOIN moved ON moved.task_id = w.task_id
     CROSS JOIN LATERAL (SELECT w.created_at + make_interval(secs => batch.undo_seconds)) open (at)
     ORDER BY w.decision_id, w.nth),
ends AS (
    INSERT INTO batch_ends (batch_id, n, came_to, why, decision_id)
    SELECT of_batch, j.n, CASE WHEN COALESCE(j.stale, j.rule::text) IS NOT NULL THEN 'stale' WHEN j.look_id IS NOT NULL THEN 'opened' ELSE 'decided' END,
           CASE WHEN j.rule IS NOT NULL THEN 'it waits for a second pair of eyes' ELSE j.stale END,
           COALESCE(j.look_id, (SELECT o.id FROM outcome o WHERE o.task_id = (j.task).id))
      FROM judged j WHERE (SELECT count(*) FROM proposed) >= 0
    RETURNING n),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'item.batch_decided', batch.led_by, o.project_id, o.item_id, o.task_id, o.id, jsonb_build_object('batch_decision', of_batch) FROM outcome o CROSS JOIN batch)
SELECT count(*)::int FROM ends $function$
;

CREATE OR REPLACE FUNCTION public.doubt_of(confidence double precision, nth integer)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT (1 - confidence) * CASE nth WHEN 0 THEN 1 ELSE 0.8 * 0.2 ^ (nth - 1) END $function$
;

CREATE OR REPLACE FUNCTION public.drawn_before(of_batch bigint)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
    SELECT COALESCE(max(n), 0)::int
      FROM (SELECT count(*) AS n
              FROM batch_members m JOIN batch_members was ON was.item_id = m.item_id AND was.batch_id <> m.batch_id
              JOIN batch_decisions b ON b.id = was.batch_id AND b.seed IS NOT NULL AND b.state IN ('dropping', 'dropped', 'undoing', 'undone')
             WHERE m.batch_id = of_batch GROUP BY m.item_id) items $function$
;

CREATE OR REPLACE FUNCTION public.end_approval(t tasks, by_person integer, OUT held_by integer, OUT was_overturn boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE held assignments; a approvals;
BEGIN
    SELECT * INTO held FROM assignments WHERE task_id = t.id AND ended_at IS NULL FOR NO KEY UPDATE NOWAIT;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id) FOR NO KEY UPDATE;
    UPDATE assignments SET ended_at = greatest(clock_timestamp(), claimed_at), end_reason = 'revoked' WHERE id = held.id;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT 'assignment.revoked', held.person_id, t.project_id, t.item_id, t.id, held.id WHERE held.id IS NOT NULL;
    PERFORM move_approval(a, 'voided', by_person, NULL, NULL);
    held_by := held.person_id; was_overturn := a.overturns;
EXCEPTION WHEN lock_not_available THEN                                 -- a submit has its assignment and waits for this task
    RAISE EXCEPTION 'somebody is deciding on it' USING ERRCODE = 'serialization_failure';
END $function$
;

CREATE OR REPLACE FUNCTION public.eyes_rule(of_project integer, of_item bigint, of_task bigint, of_outcome text, overturns boolean, reason text)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE found jsonb;
BEGIN
    SELECT r.rule INTO found
      FROM projects p CROSS JOIN LATERAL jsonb_array_elements(p.four_eyes) WITH ORDINALITY r (rule, n)
      JOIN customers c ON c.id = p.customer_id JOIN items i ON i.id = of_item LEFT JOIN messages m ON m.id = i.message_id
     WHERE p.id = of_project
       AND (r.rule ->> 'verdict' IS NULL OR r.rule ->> 'verdict' = of_outcome OR overturns AND r.rule ->> 'verdict' = 'overturn')
       AND (r.rule ->> 'reason_code' IS NULL OR r.rule ->> 'reason_code' = reason
            OR reason = 'agreement' AND EXISTS (SELECT FROM decisions d WHERE d.item_id = of_item AND d.task_id = of_task AND d.reason_code = r.rule ->> 'reason_code'))
       AND (r.rule ->> 'customer' IS NULL OR r.rule ->> 'customer' = c.name)
       AND (r.rule ->> 'amount_from' IS NULL OR m.id IS NULL OR abs(m.variance_amount) >= (r.rule ->> 'amount_from')::numeric)
       AND (r.rule ->> 'currency' IS NULL OR m.id IS NULL OR m.currency = r.rule ->> 'currency')
     ORDER BY r.n LIMIT 1;
    RETURN found;
END $function$
;

CREATE OR REPLACE FUNCTION public.facets_named(of_project integer)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT jsonb_array_elements_text(v.rules -> 'facets') FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
     WHERE p.id = of_project $function$
;

CREATE OR REPLACE FUNCTION public.facets_of(given jsonb, of_project integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    SELECT COALESCE(jsonb_object_agg(g.key, CASE jsonb_typeof(g.value) WHEN 'number' THEN variance_band(g.value::numeric) ELSE g.value #>> '{}' END), '{}')
      FROM jsonb_each(given) g WHERE g.key IN (SELECT facets_named(of_project)) $function$
;

CREATE OR REPLACE FUNCTION public.fits(alike text[], same text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT (same[1] IS NULL OR same[1] = alike[1]) AND (same[2] IS NULL OR same[2] = alike[2]) AND (same[3] IS NULL OR same[3] = alike[3])
       AND (same[4] IS NULL OR same[4] = alike[4]) AND (same[5] IS NULL OR same[5] = alike[5]) $function$
;

CREATE OR REPLACE FUNCTION public.gather_bulk_overturn(of_bulk bigint, at_once integer)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
WITH bulk AS MATERIALIZED (
    SELECT b.* FROM bulk_overturns b WHERE b.id = of_bulk AND b.state = 'gathering' FOR NO KEY UPDATE),
seen AS MATERIALIZED (
    SELECT w.* FROM bulk CROSS JOIN LATERAL walk_outcomes(bulk.project_id, bulk.reviewer_id, bulk.reason, bulk.since, bulk.until, bulk.place_at, bulk.place_id, at_once) w),
fit AS (
    SELECT DISTINCT ON (d.id) d, i.evidence_version, w.at, w.place
      FROM bulk CROSS JOIN seen w JOIN decisions d ON d.id = w.outcome_id JOIN items i ON i.id = d.item_id
     WHERE asked_for(d, i, bulk.queue, bulk.match_decision, bulk.stood)
       AND NOT EXISTS (SELECT FROM bulk_overturn_members m WHERE m.bulk_id = bulk.id AND m.decision_id = d.id)
     ORDER BY d.id, w.at DESC, w.place DESC),
next AS MATERIALIZED (
    SELECT fit.*, (bulk.listed + row_number() OVER (ORDER BY fit.at DESC, fit.place DESC))::int AS n, not_overturned(fit.d, bulk.outcome, bulk.answer) AS why
      FROM fit CROSS JOIN bulk ORDER BY n LIMIT (SELECT most - listed + 1 FROM bulk)),
taken AS MATERIALIZED (SELECT next.* FROM next CROSS JOIN bulk WHERE next.n <= bulk.most),
put AS (
    INSERT INTO bulk_overturn_members (bulk_id, n, decision_id, item_id, task_id, evidence_hash, evidence_version)
    SELECT of_bulk, n, (d).id, (d).item_id, (d).task_id, (d).evidence_hash, evidence_version FROM taken ORDER BY n),
ends AS (
    INSERT INTO bulk_overturn_ends (bulk_id, n, came_to, why) SELECT of_bulk, n, 'left_out', why FROM taken WHERE why IS NOT NULL ORDER BY n),
hands AS (
    INSERT INTO bulk_overturn_hands (bulk_id, from_n, person_id, items)
    SELECT of_bulk, (SELECT min(n) FROM taken), who, count(*) FROM taken CROSS JOIN LATERAL unnest(touched((d).item_id, 0)) who WHERE why IS NULL GROUP BY who),
last AS (SELECT at, place FROM seen ORDER BY at, place LIMIT 1)
UPDATE bulk_overturns b
   SET listed = b.listed + (SELECT count(*) FROM taken), left_out = b.left_out + (SELECT count(*) FROM taken WHERE why IS NOT NULL),
       whole = NOT EXISTS (SELECT FROM next WHERE n > b.most), touched_at = clock_timestamp(),
       place_at = COALESCE((SELECT at FROM last), b.place_at), place_id = CASE WHEN b.reviewer_id IS NULL THEN COALESCE((SELECT min(place) FROM seen), b.place_id)
                                                                               ELSE COALESCE((SELECT place FROM last), b.place_id) END
  FROM bulk WHERE b.id = bulk.id
RETURNING b.whole AND (SELECT count(*) FROM seen) >= at_once $function$
;

CREATE OR REPLACE FUNCTION public.give_item_turn()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM FROM decisions mine JOIN decisions d ON d.item_id = mine.item_id AND d.id < mine.id AND d.outcome IS NOT NULL
            JOIN outbox o ON o.decision_id = d.id AND o.effect_id = NEW.effect_id
      WHERE mine.id = NEW.decision_id AND o.state IN ('pending', 'leased', 'dead') AND NOT o.undone ORDER BY o.id FOR SHARE OF o;
    NEW.turn := NOT FOUND;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.give_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN SELECT NEW.effect_no = p.turn_no INTO STRICT NEW.turn FROM partitions p WHERE p.id = NEW.partition_id; RETURN NEW; END $function$
;

CREATE OR REPLACE FUNCTION public.gold_turn(s person_skills)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT s.gold_every > 0 AND s.looks % s.gold_every
         = (hashint8extended(s.looks / s.gold_every, s.gold_salt) & 65535) % greatest(s.gold_every - 1, 1) $function$
;

CREATE OR REPLACE FUNCTION public.hides_looks(t tasks)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT t.ended_as IS NULL AND (t.cancelled_at IS NULL OR EXISTS (
               SELECT FROM assignments a WHERE a.task_id = t.id AND a.ended_at IS NULL AND a.lease_expires > clock_timestamp()))
        OR t.ended_as = 'disputed' AND EXISTS (
               SELECT FROM tasks c WHERE c.item_id = t.item_id AND c.parent_id = t.id AND c.kind = 'adjudication' AND c.ended_as IS NULL AND c.cancelled_at IS NULL)
        OR EXISTS (SELECT FROM approvals a WHERE a.open_item = t.item_id AND (NOT a.overturns OR t.id IN (a.task_id, a.decider_id))) $function$
;

CREATE OR REPLACE FUNCTION public.item_priority(i items)
 RETURNS smallint
 LANGUAGE sql
 STABLE
AS $function$
    SELECT least(greatest(i.priority + p.priority - COALESCE(
               (SELECT (v.rules ->> 'priority')::int FROM project_versions v
                 WHERE v.project_id = i.project_id AND v.created_at <= COALESCE(i.prioritised_at, i.created_at) ORDER BY v.version DESC LIMIT 1), p.priority), -10), 20)::smallint
      FROM projects p WHERE p.id = i.project_id $function$
;

CREATE OR REPLACE FUNCTION public.item_queue(i items)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT CASE WHEN i.queue = 'automatic' THEN 'review' ELSE i.queue END $function$
;

CREATE OR REPLACE FUNCTION public.judge_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE of record; population int;
BEGIN
    IF NEW.state = 'sampling' THEN
        NEW.nth := 1 + drawn_before(NEW.id);
        RETURN NEW;
    END IF;
    SELECT count(l.decision_id)::int AS looked, (count(*) FILTER (WHERE l.differs))::int AS wrong, (count(*) FILTER (WHERE l.n IS NOT NULL AND l.decision_id IS NULL))::int AS void,
           COALESCE(bool_and(d.place = o.place), true) AS as_drawn
      INTO of
      FROM (SELECT m.n, row_number() OVER (ORDER BY sha256(convert_to(NEW.seed || ':' || m.item_id, 'UTF8'))) AS place FROM batch_members m WHERE m.batch_id = NEW.id) o
      JOIN batch_draws d ON d.batch_id = NEW.id AND d.n = o.n LEFT JOIN batch_looks l ON l.batch_id = NEW.id AND l.n = o.n;
    population := NEW.members - of.void;
    IF NOT of.as_drawn OR (NEW.looked, NEW.wrong, NEW.rest) IS DISTINCT FROM (of.looked, of.wrong, population - of.looked) OR of.looked < least(NEW.sample_size, population)
       OR NEW.upper < 0 OR NEW.upper < NEW.rest AND sampled_at_most(population, of.looked, of.wrong, NEW.upper + of.wrong + 1) > doubt_of(NEW.confidence, NEW.nth) * (1 + 1e-9) THEN
        RAISE EXCEPTION 'the sample of batch decision % does not say that', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'batch_decisions_bound_met';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_alike()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN NEW.alike := alike_of(NEW); RETURN NEW; END $function$
;

CREATE OR REPLACE FUNCTION public.keep_bulk_list()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM bulk_overturns b WHERE b.id = NEW.bulk_id AND b.state = 'gathering') THEN
        RAISE EXCEPTION 'its list is fixed' USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_fixed';
    END IF;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_effects(of_batch bigint, of_decisions bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
AS $function$
WITH mine AS MATERIALIZED (
    SELECT e.decision_id, e.at + make_interval(secs => b.undo_seconds) AS until
      FROM batch_decisions b JOIN batch_ends e ON e.batch_id = b.id AND e.came_to = 'decided'
     WHERE b.id = of_batch AND (of_decisions IS NULL OR e.decision_id = ANY (of_decisions))
       AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = e.decision_id)),
rows AS MATERIALIZED (                                                 -- judged when locked: whoever leases one first has it
    SELECT o.id, o.decision_id FROM mine JOIN outbox o ON o.decision_id = mine.decision_id
     WHERE o.undone OR (o.state = 'pending' AND o.attempts = 0 AND o.not_before > clock_timestamp())
     ORDER BY o.id FOR NO KEY UPDATE OF o),
whole AS MATERIALIZED (
    SELECT mine.decision_id FROM mine
     WHERE (SELECT count(*) FROM rows r WHERE r.decision_id = mine.decision_id) = (SELECT count(*) FROM outbox o WHERE o.decision_id = mine.decision_id)
       AND (EXISTS (SELECT FROM rows r WHERE r.decision_id = mine.decision_id) OR mine.until > clock_timestamp())),
kept AS (
    UPDATE outbox o SET undone = true, due = clock_timestamp(), push_due = clock_timestamp() FROM rows JOIN whole USING (decision_id) WHERE o.id = rows.id AND NOT o.undone)
SELECT decision_id FROM whole $function$
;

CREATE OR REPLACE FUNCTION public.keep_four_eyes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF COALESCE(NEW.four_eyes, '[]') <> COALESCE((SELECT jsonb_strip_nulls(v.rules -> 'four_eyes') FROM project_versions v WHERE v.project_id = NEW.id AND v.version = NEW.version), '[]') THEN
        RAISE EXCEPTION 'the four_eyes of project % are not those of its version %', NEW.id, NEW.version USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_four_eyes';
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_look()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN PERFORM keep_look(NEW, OLD.held_for); RETURN NULL; END $function$
;

CREATE OR REPLACE FUNCTION public.keep_look(t tasks, of_batch bigint)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    INSERT INTO batch_looks (batch_id, n, decision_id, differs)
    SELECT m.batch_id, m.n, look.id, look.id IS NOT NULL AND (look.verdict, look.answer) IS DISTINCT FROM (b.verdict, b.answer)
      FROM batch_decisions b JOIN batch_members m ON m.batch_id = b.id AND m.task_id = t.id
      LEFT JOIN decisions look ON look.item_id = m.item_id AND look.task_id = m.task_id AND look.person_id = b.led_by AND look.assignment_id IS NOT NULL
                              AND look.evidence_hash = m.evidence_hash
     WHERE b.id = of_batch AND b.state IN ('gathering', 'sampling')
       AND (look.id IS NOT NULL OR t.ended_as IS NOT NULL OR t.cancelled_at IS NOT NULL OR t.evidence_hash <> m.evidence_hash OR t.held_for IS DISTINCT FROM m.batch_id)
        ON CONFLICT DO NOTHING $function$
;

CREATE OR REPLACE FUNCTION public.keep_undone()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO batch_undone (batch_id, n, decision_id) SELECT batch_id, n, NEW.id FROM batch_ends WHERE decision_id = NEW.supersedes AND came_to = 'decided';
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.lanes_of(of_person integer, in_role text)
 RETURNS TABLE(id integer, skill_id integer, queue text, novice boolean)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT l.id, l.skill_id, l.queue, s.novice AND NOT l.gold
      FROM person_skills s
     CROSS JOIN LATERAL (SELECT * FROM lanes l WHERE l.skill_id = s.skill_id AND l.tier <= s.tier OFFSET 0) l   -- from the person to the lanes, whatever a plan thinks
     WHERE s.person_id = of_person
       AND CASE WHEN NOT l.gold THEN s.status = 'active' AND NOT s.held_back
                                     AND CASE l.queue WHEN 'escalation'   THEN false
                                                      WHEN 'adjudication' THEN in_role <> 'lead'
                                                      WHEN 'approval'     THEN in_role <> 'lead' AND NOT (SELECT p.program FROM people p WHERE p.id = of_person)
                                                      ELSE true END
                WHEN s.status = 'soft_paused' THEN s.extra_left > 0
                WHEN s.status = 'active' AND NOT s.held_back THEN gold_turn(s) AND EXISTS (
                    SELECT FROM lanes live CROSS JOIN LATERAL (   -- a probe of each lane's head: a join may read every task that waits
                            SELECT FROM tasks t WHERE t.lane_id = live.id AND t.state = 'pending' AND NOT of_person = ANY (t.closed_to) ORDER BY t.rank LIMIT 1) t
                     WHERE live.skill_id = s.skill_id AND live.tier <= s.tier AND live.queue = 'review' AND NOT live.gold)
                ELSE s.status IN ('exam', 'active') END
     UNION ALL
    SELECT l.id, l.skill_id, l.queue, false FROM lanes l
     WHERE in_role = 'lead' AND l.queue IN ('escalation', 'adjudication', 'approval')
       AND CASE WHEN l.queue = 'approval' THEN NOT (SELECT p.program FROM people p WHERE p.id = of_person) ELSE true END $function$
;

CREATE OR REPLACE FUNCTION public.last_decision_before(moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE low bigint := 0; high bigint := COALESCE((SELECT max(id) FROM decisions), 0) + 1; middle bigint; met record;
BEGIN
    WHILE high - low > 1 LOOP
        middle := (low + high) / 2;
        SELECT d.id, d.created_at INTO met FROM decisions d WHERE d.id >= middle AND d.id < high ORDER BY d.id LIMIT 1;
        IF met.id IS NULL THEN high := middle; ELSIF met.created_at < moment THEN low := met.id; ELSE high := middle; END IF;
    END LOOP;
    RETURN low;
END $function$
;

CREATE OR REPLACE FUNCTION public.ln_choose(n integer, k integer)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT COALESCE(sum(ln((n - least(k, n - k) + j)::float8 / j)), 0) FROM generate_series(1, least(k, n - k)) j $function$
;

CREATE OR REPLACE FUNCTION public.lock_item(of_item bigint, OUT i items, OUT t tasks)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
    SELECT x.* INTO i FROM items x WHERE x.id = of_item FOR NO KEY UPDATE;
    LOOP
        SELECT x.* INTO t FROM tasks x WHERE x.id = (SELECT max(n.id) FROM (SELECT id FROM tasks WHERE item_id = of_item OFFSET 0) n) FOR NO KEY UPDATE;
        EXIT WHEN t.id IS NULL OR NOT EXISTS (SELECT FROM tasks x WHERE x.item_id = of_item AND x.id > t.id);   -- it may have moved on while we waited
    END LOOP;
END $function$
;

CREATE OR REPLACE FUNCTION public.lock_meant(in_lanes integer[], for_person integer, at timestamp with time zone)
 RETURNS SETOF tasks
 LANGUAGE sql
AS $function$
    SELECT t.* FROM tasks t
     WHERE t.meant_for = for_person AND t.meant_until > at AND t.state = 'held' AND t.held_for IS NULL AND t.lane_id = ANY (in_lanes)
       AND NOT for_person = ANY (t.seen_by || t.barred)
     ORDER BY t.since LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED $function$
;

CREATE OR REPLACE FUNCTION public.lock_named(of_ids bigint[], in_lanes integer[], for_person integer, at timestamp with time zone)
 RETURNS TABLE(task tasks, lapsed_id bigint, lapsed_by integer, may_hold boolean)
 LANGUAGE plpgsql
AS $function$
BEGIN
    RETURN QUERY                                                       -- a free seat,
    SELECT t, NULL::bigint, NULL::int, true FROM tasks t
     WHERE t.id = ANY (of_ids) AND CASE WHEN t.held_for IS NULL THEN t.lane_id = ANY (in_lanes) ELSE sampled_by(t, for_person) END
       AND NOT for_person = ANY (t.seen_by || t.barred) AND (t.meant_for IS NULL OR t.meant_for = for_person OR t.meant_until <= at)
       AND t.ended_as IS NULL AND t.cancelled_at IS NULL AND NOT t.waits AND NOT t.paused AND cardinality(t.seen_by) < t.wanted   -- pending, in words no index knows
     ORDER BY t.id LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED;
    IF FOUND THEN RETURN; END IF;
    RETURN QUERY                                                       -- or one that somebody let lapse
    SELECT t, a.id, a.person_id, true FROM tasks t JOIN assignments a ON a.task_id = t.id
     WHERE t.id = ANY (of_ids) AND t.lane_id = ANY (in_lanes) AND t.state = 'full' AND NOT t.paused AND NOT for_person = ANY (t.seen_by || t.barred)
       AND a.ended_at IS NULL AND a.lease_expires <= at
     ORDER BY t.id LIMIT 1
       FOR NO KEY UPDATE OF t, a SKIP LOCKED;
END $function$
;

CREATE OR REPLACE FUNCTION public.lock_skipped(in_lanes integer[], for_person integer)
 RETURNS SETOF tasks
 LANGUAGE sql
AS $function$
    SELECT t.* FROM tasks t
     WHERE t.lane_id = (SELECT lane.id FROM unnest(in_lanes) lane (id) CROSS JOIN LATERAL (
                            SELECT t.since FROM tasks t
                             WHERE t.lane_id = lane.id AND t.state = 'pending' AND for_person = ANY (t.skipped_by) AND NOT for_person = ANY (t.seen_by || t.barred)
                             ORDER BY t.rank LIMIT 1) first
                         ORDER BY first.since LIMIT 1)
       AND t.state = 'pending' AND for_person = ANY (t.skipped_by) AND NOT for_person = ANY (t.seen_by || t.barred)
     ORDER BY t.rank LIMIT 1
       FOR NO KEY UPDATE OF t SKIP LOCKED $function$
;

CREATE OR REPLACE FUNCTION public.log_later()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN INSERT INTO pipeline_unlogged SELECT id FROM made; RETURN NULL; END $function$
;

CREATE OR REPLACE FUNCTION public.looks_ahead(s person_skills, begun integer, live integer)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN s.gold_every > 1 AND live > 0 AND s.status = 'active' AND NOT s.held_back AND EXISTS (
                        SELECT FROM golds g WHERE g.skill_id = s.skill_id AND g.retired_at IS NULL)
                THEN (SELECT a.n - s.looks - begun + 1 FROM generate_series(s.looks + begun, s.looks + begun + 2 * live) a (n)
                       WHERE a.n % s.gold_every <> (hashint8extended(a.n / s.gold_every, s.gold_salt) & 65535) % (s.gold_every - 1)
                       ORDER BY a.n OFFSET live - 1 LIMIT 1)
                ELSE live END $function$
;

CREATE OR REPLACE FUNCTION public.mask_of(rules jsonb, n smallint, name text, reveal text[], purpose text, OUT masked text[], OUT purposes text[], OUT withheld boolean, OUT revealed text[])
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE fits boolean;
BEGIN
    masked   := ARRAY(SELECT jsonb_array_elements_text(COALESCE(rules -> 'masked', '[]')));
    purposes := ARRAY(SELECT p ->> 'code' FROM jsonb_array_elements(COALESCE(rules -> 'purposes', '[]')) p);
    revealed := CASE WHEN n = 0 THEN reveal WHEN name = ANY (masked) THEN ARRAY[name] ELSE '{}' END;
    fits     := revealed <@ masked AND COALESCE(purpose = ANY (purposes), false);
    withheld := cardinality(revealed) > 0 AND NOT fits;
    IF withheld THEN revealed := '{}'; END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.move_approval(a approvals, to_state text, by_person integer, decider bigint, decision bigint)
 RETURNS approvals
 LANGUAGE plpgsql
AS $function$
DECLARE moved approvals;
BEGIN
    UPDATE approvals SET state = to_state, version = a.version + 1, moved_by = by_person, moved_at = clock_timestamp(), decider_id = COALESCE(decider, decider_id),
                         decision_id = decision
     WHERE id = a.id AND version = a.version RETURNING * INTO moved;
    IF NOT FOUND THEN RAISE EXCEPTION 'this approval was moved meanwhile' USING ERRCODE = 'serialization_failure'; END IF;
    RETURN moved;
END $function$
;

CREATE OR REPLACE FUNCTION public.move_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.state = OLD.state THEN RETURN NEW; END IF;
    IF NOT (OLD.state, NEW.state) IN (('gathering', 'sampling'), ('gathering', 'dropping'), ('sampling', 'deciding'), ('sampling', 'dropping'), ('dropping', 'dropped'),
                                      ('deciding', 'decided'), ('deciding', 'undoing'), ('decided', 'undoing'), ('undoing', 'undone')) THEN
        RAISE EXCEPTION 'a batch decision never goes from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'batch_decisions_moves';
    END IF;
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.move_bulk_overturn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.state = OLD.state THEN
        IF (NEW.version, NEW.approved_by, NEW.moved_by, NEW.why) IS NOT DISTINCT FROM (OLD.version, OLD.approved_by, OLD.moved_by, OLD.why) THEN RETURN NEW; END IF;
    ELSIF (CASE WHEN TG_OP = 'INSERT' THEN (NEW.state, NEW.version, NEW.moved_by) = ('gathering', 1, NEW.requested_by)
               WHEN NEW.state = 'running' AND OLD.state = 'pending' THEN NEW.approved_by = NEW.moved_by
               WHEN NEW.approved_by IS DISTINCT FROM OLD.approved_by THEN false
               ELSE (OLD.state, NEW.state) IN (('gathering', 'listed'), ('running', 'paused'), ('running', 'stopped'), ('paused', 'running'), ('paused', 'stopped'))
                    OR (OLD.state, NEW.state) = ('listed', 'pending') AND NEW.moved_by = OLD.requested_by AND OLD.left_out < OLD.listed
                    OR (OLD.state, NEW.state) = ('pending', 'rejected') AND NEW.moved_by <> OLD.requested_by
                    OR (OLD.state, NEW.state) IN (('gathering', 'withdrawn'), ('listed', 'withdrawn'), ('pending', 'withdrawn')) AND NEW.moved_by = OLD.requested_by
                    OR (OLD.state, NEW.state) = ('running', 'done') AND OLD.reached = OLD.listed END) THEN
        IF TG_OP = 'UPDATE' AND OLD.state = 'pending' AND NEW.state = 'running' AND NOT new_to_bulk(OLD, NEW.approved_by) THEN
            RAISE EXCEPTION 'whoever approves it is another lead, and new to its items' USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_eyes';
        END IF;
        IF TG_OP = 'UPDATE' THEN NEW.version := OLD.version + 1; NEW.moved_at := clock_timestamp(); NEW.touched_at := clock_timestamp(); END IF;
        INSERT INTO events (kind, person_id, project_id, detail)
        VALUES ('bulk_overturn.' || CASE WHEN TG_OP = 'INSERT' THEN 'begun' WHEN (OLD.state, NEW.state) = ('pending', 'running') THEN 'approved'
                                         WHEN NEW.state = 'running' THEN 'resumed' WHEN NEW.state = 'pending' THEN 'asked' ELSE NEW.state END,
                NEW.moved_by, NEW.project_id, jsonb_strip_nulls(jsonb_build_object('bulk_overturn', NEW.id, 'version', NEW.version, 'why', NULLIF(NEW.why, ''))));
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a bulk overturn never goes from % to % like this', CASE TG_OP WHEN 'UPDATE' THEN OLD.state END, NEW.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'bulk_overturns_moves';
END $function$
;

CREATE OR REPLACE FUNCTION public.move_item(a item_actions, i items, t tasks)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE q queues; halted boolean; still_theirs boolean;
BEGIN
    SELECT x.* INTO q FROM queues x WHERE x.project_id = i.project_id AND x.name = a.what ->> 'queue';
    IF q.id IS NULL THEN RETURN format('its project has no queue %s', a.what ->> 'queue'); END IF;
    IF t.kind NOT IN ('review', 'relabel') THEN RETURN 'leads have it: send it back first'; END IF;
    IF COALESCE(t.queue_id = q.id, i.queue = q.name) THEN RETURN 'it is in that queue already'; END IF;
    i.queue := q.name;
    UPDATE items SET queue = q.name, alike = CASE WHEN alike IS NOT NULL THEN alike_of(i) END WHERE id = i.id;
    SELECT p.paused_at IS NOT NULL OR q.paused_at IS NOT NULL INTO halted FROM projects p WHERE p.id = i.project_id;
    still_theirs := EXISTS (SELECT FROM people p CROSS JOIN LATERAL lanes_of(p.id, p.role) l WHERE p.id = t.meant_for AND l.id = q.lane_id);
    UPDATE tasks SET queue_id = q.id, lane_id = q.lane_id, paused = halted, rank = (advance_clock(i.project_id, q.lane_id, t.priority, 1)).last,
                     meant_for = CASE WHEN still_theirs THEN meant_for END, meant_until = CASE WHEN still_theirs THEN meant_until END
     WHERE id = t.id;
    PERFORM note_action(a, 'item.moved', i, t, jsonb_build_object('from', (SELECT name FROM queues WHERE id = t.queue_id), 'queue', q.name));
    IF t.meant_for IS NOT NULL AND NOT still_theirs THEN PERFORM note_action(a, 'item.unassigned', i, t, jsonb_build_object('to', t.meant_for)); END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.need_four_eyes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF NEW.bulk_overturn_id IS NOT NULL THEN
        IF EXISTS (SELECT FROM bulk_overturns b JOIN bulk_overturn_members m ON m.bulk_id = b.id AND m.decision_id = NEW.supersedes
                    WHERE b.id = NEW.bulk_overturn_id AND b.state = 'running' AND m.item_id = NEW.item_id AND m.evidence_hash = NEW.evidence_hash
                      AND (b.requested_by, b.approved_by, b.outcome, b.reason_code) = (NEW.person_id, NEW.approved_by, NEW.outcome, NEW.reason_code)
                      AND b.answer IS NOT DISTINCT FROM NEW.answer AND NOT NEW.approved_by = ANY (touched(NEW.item_id, 0))) THEN
            IF EXISTS (SELECT FROM approvals a WHERE a.open_item = NEW.item_id AND a.overturns) THEN
                RAISE EXCEPTION 'another decision on this item waits for its second pair of eyes' USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_one_open';
            END IF;
            RETURN NEW;
        END IF;
    ELSIF NEW.approval_id IS NOT NULL THEN
        IF EXISTS (SELECT FROM approvals a JOIN proposals p ON p.id = a.id JOIN decisions d ON d.item_id = a.item_id AND d.task_id = COALESCE(a.decider_id, a.task_id)
                    WHERE a.id = NEW.approval_id AND a.item_id = NEW.item_id AND a.state IN ('approved', 'rejected') AND p.evidence_hash = NEW.evidence_hash
                      AND d.person_id = NEW.approved_by AND d.assignment_id IS NOT NULL AND d.evidence_hash = NEW.evidence_hash) THEN
            RETURN NEW;
        END IF;
    ELSIF NOT EXISTS (SELECT FROM projects p WHERE p.id = NEW.project_id AND p.four_eyes IS NOT NULL) OR NEW.reason_code = 'desk.undone' AND undoes(NEW) OR
          eyes_rule(NEW.project_id, NEW.item_id, NEW.task_id, NEW.outcome, NEW.supersedes IS NOT NULL, NEW.reason_code) IS NULL THEN
        IF NEW.supersedes IS NOT NULL AND EXISTS (SELECT FROM approvals a WHERE a.open_item = NEW.item_id AND a.overturns
                                                    AND NEW.task_id IS DISTINCT FROM a.decider_id) THEN
            RAISE EXCEPTION 'another decision on this item waits for its second pair of eyes' USING ERRCODE = 'unique_violation', CONSTRAINT = 'approvals_one_open';
        END IF;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'this outcome needs a second pair of eyes' USING ERRCODE = 'check_violation', CONSTRAINT = 'decisions_four_eyes';
END $function$
;

CREATE OR REPLACE FUNCTION public.new_to_bulk(b bulk_overturns, person integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT person <> b.requested_by AND EXISTS (SELECT FROM people l WHERE l.id = person AND l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program)
       AND NOT EXISTS (SELECT FROM bulk_overturn_hands h WHERE h.bulk_id = b.id AND h.person_id = person) $function$
;

CREATE OR REPLACE FUNCTION public.no_other_eyes(t tasks, me integer)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT EXISTS (SELECT FROM approvals a JOIN proposals p ON p.id = a.id
                    WHERE a.task_id = t.id AND me = ANY (touched(t.item_id, t.id)) OR a.decider_id = t.id AND (me = p.person_id OR me = ANY (t.barred))) $function$
;

CREATE OR REPLACE FUNCTION public.not_overturned(d decisions, said_outcome text, said_answer jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN EXISTS (SELECT FROM decisions l WHERE l.supersedes = d.id) THEN 'it was overturned already'
                WHEN EXISTS (SELECT FROM approvals a WHERE a.open_item = d.item_id AND a.overturns) THEN 'another overturn of it waits for a second pair of eyes'
                WHEN (d.outcome, d.answer) IS NOT DISTINCT FROM (said_outcome, said_answer) THEN 'it says that already' END $function$
;

CREATE OR REPLACE FUNCTION public.note_action(a item_actions, kind text, i items, t tasks, told jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, detail)
    VALUES (kind, a.asked_by, i.project_id, i.id, t.id, told || jsonb_build_object('action', a.id, 'why', a.why)) $function$
;

CREATE OR REPLACE FUNCTION public.number_guidance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    SELECT CASE WHEN COALESCE(v.rules ->> 'guidance', '') = COALESCE(NEW.rules ->> 'guidance', '') THEN v.guidance_version END INTO NEW.guidance_version
      FROM project_versions v WHERE v.project_id = NEW.project_id AND v.version = NEW.version - 1;
    NEW.guidance_version := COALESCE(NEW.guidance_version, NEW.version);
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.number_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN NEW.turn_no := least(NEW.applied_no + 1, NEW.effect_no); RETURN NEW; END $function$
;

CREATE OR REPLACE FUNCTION public.open_letters()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO dead_letters_open (dead_letter_id, code, cause, project_id, customer_id, bytes, created_at, sameness)
    SELECT d.id, d.code, d.cause, d.project_id, COALESCE(p.customer_id, d.customer_id), octet_length(d.body), d.created_at, d.sameness
      FROM made d LEFT JOIN projects p ON p.id = d.project_id;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.open_to(t tasks, as_novice boolean, now timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT CASE WHEN as_novice THEN NOT t.novice ELSE t.novice OR t.reserved_until IS NULL OR t.reserved_until <= now END $function$
;

CREATE OR REPLACE FUNCTION public.outcome_of(d decisions)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
    SELECT CASE WHEN d.outcome IS NOT NULL THEN d.id
                ELSE (SELECT o.id FROM decisions o WHERE o.item_id = d.item_id AND o.task_id = d.task_id AND o.outcome IS NOT NULL AND o.person_id = 0) END $function$
;

CREATE OR REPLACE FUNCTION public.overturn(of_decision bigint, by_person integer, said_outcome text, said_answer jsonb, reason text, words text, of_bulk bigint, eyes integer)
 RETURNS TABLE(decision_id bigint, approval_id bigint)
 LANGUAGE sql
AS $function$
WITH target AS MATERIALIZED (                                          -- one at a time: a second one waits here, and is refused by `decisions_superseded_once`
    SELECT d.*, p.version, t.partition_id, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL AND of_bulk IS NULL THEN eyes_rule(p.id, d.item_id, d.task_id, said_outcome, true, reason) END AS rule
      FROM decisions d JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE d.id = of_decision AND d.outcome IS NOT NULL AND d.outcome <> 'reopen'
       AND EXISTS (SELECT FROM people WHERE id = by_person AND role = 'lead' AND disabled_at IS NULL)
       FOR NO KEY UPDATE OF t),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, bulk_overturn_id, approved_by)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', said_answer, said_outcome, id, evidence_version, shown_version, evidence_hash,
           reason, words, of_bulk, eyes
      FROM target WHERE rule IS NULL
    RETURNING *),
proposed AS (
    SELECT propose(task, version, by_person, 'overturn', said_answer, said_outcome, id, reason, words, rule) AS made FROM target WHERE rule IS NOT NULL),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred; it stands outside its partition's order
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', by_person) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE o.outcome = 'reopen' AND (SELECT count(*) FROM moved) >= 0),     -- the partition's lock before the clock's, as in publishing
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', by_person, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_strip_nulls(jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened), 'bulk_overturn', of_bulk))
      FROM overturned o)
SELECT id, NULL::bigint FROM overturned UNION ALL SELECT NULL, made FROM proposed $function$
;

CREATE OR REPLACE FUNCTION public.pass_cancelled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF EXISTS (SELECT FROM partitions p WHERE p.id = NEW.partition_id AND p.settled_no = NEW.partition_no - 1) AND cancelled_alone(NEW) THEN
        PERFORM pass_turn(NEW.partition_id, NEW.partition_no);
    END IF;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.pass_item_turn()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    UPDATE outbox n SET turn = true
     WHERE NOT n.turn AND n.id = (
           SELECT o.id FROM decisions mine JOIN decisions d ON d.item_id = mine.item_id AND d.id > mine.id AND d.outcome IS NOT NULL
             JOIN outbox o ON o.decision_id = d.id AND o.effect_id = NEW.effect_id
            WHERE mine.id = NEW.decision_id AND o.state IN ('pending', 'leased', 'dead') AND NOT o.undone ORDER BY d.id LIMIT 1);
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.pass_turn(of_partition bigint, of_no integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE n tasks; last int := of_no;
BEGIN
    LOOP
        SELECT t.* INTO n FROM tasks t WHERE t.partition_id = of_partition AND t.partition_no = last + 1 AND t.waits FOR NO KEY UPDATE;
        UPDATE tasks SET waits = false WHERE id = n.id;
        EXIT WHEN n.id IS NULL OR NOT cancelled_alone(n);
        last := last + 1;
    END LOOP;
    UPDATE partitions p SET settled_no = last, promoted_no = CASE WHEN n.id IS NULL THEN last ELSE last + 1 END
     WHERE p.id = of_partition AND p.settled_no = of_no - 1;
END $function$
;

CREATE OR REPLACE FUNCTION public.prioritise_item(a item_actions, i items, t tasks)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE wanted smallint := (a.what ->> 'priority')::smallint; of_task smallint := wanted + CASE WHEN t.kind IN ('escalation', 'adjudication', 'approval') THEN 10 ELSE 0 END;
BEGIN
    IF item_priority(i) = wanted THEN RETURN format('its priority is %s already', wanted); END IF;
    PERFORM note_action(a, 'item.prioritised', i, t, jsonb_build_object('from', item_priority(i), 'priority', wanted));
    UPDATE items SET priority = wanted, prioritised_at = clock_timestamp() WHERE id = i.id;
    UPDATE tasks x SET priority = of_task, rank = (advance_clock(i.project_id, t.lane_id, of_task, 1)).last, since = t.created_at - of_task * interval '10 minutes'
     WHERE x.id = t.id AND x.ended_as IS NULL;
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.propose(t tasks, of_version integer, by_person integer, said_verdict text, said_answer jsonb, said_outcome text, of_decision bigint, reason text, words text, by_rule jsonb, of_action bigint DEFAULT NULL::bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE made bigint;
BEGIN
    IF EXISTS (SELECT FROM decisions d WHERE d.supersedes = of_decision) THEN
        RAISE EXCEPTION 'overturned before' USING ERRCODE = 'unique_violation', CONSTRAINT = 'decisions_superseded_once';
    END IF;
    INSERT INTO proposals (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, rule)
    VALUES (t.item_id, t.id, t.project_id, of_version, by_person, said_verdict, said_answer, said_outcome, of_decision, t.evidence_version, t.shown_version, t.evidence_hash,
            reason, words, by_rule)
    RETURNING id INTO made;
    INSERT INTO approvals (id, item_id, project_id, overturns, moved_by, action_id, task_id)
    SELECT made, t.item_id, t.project_id, of_decision IS NOT NULL, by_person, of_action,
           raise_task(t, 'approval', 'approval', item_priority(i) + 10, 1, NULL, p.price_minor, touched(t.item_id, 0), 'four_eyes', by_person)
      FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    RETURN made;
END $function$
;

CREATE OR REPLACE FUNCTION public.proposes(a item_actions)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT a.kind = 'send_back'
       AND (a.state IN ('gathering', 'listed', 'acting') AND EXISTS (SELECT FROM projects p WHERE p.four_eyes IS NOT NULL)
            OR EXISTS (SELECT FROM approvals x WHERE x.action_id = a.id AND x.open_item IS NOT NULL)) $function$
;

CREATE OR REPLACE FUNCTION public.put_outcome(o decisions, t tasks, from_then timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE made bigint; raised bigint; next_id bigint; next_no int; of int; before int; on_what text := CASE WHEN o.supersedes IS NULL THEN o.outcome ELSE 'overturn' END;
BEGIN
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, answer, outcome, supersedes, evidence_version, shown_version, evidence_hash,
                           reason_code, note, approval_id, approved_by)
    VALUES (o.item_id, o.task_id, o.project_id, o.project_version, o.person_id, o.verdict, o.answer, o.outcome, o.supersedes, o.evidence_version, o.shown_version,
            o.evidence_hash, o.reason_code, o.note, o.approval_id, o.approved_by)
    RETURNING id INTO made;
    SELECT count(*) INTO of FROM effects e WHERE e.project_id = o.project_id AND on_what = ANY (e.on_outcomes);
    IF t.partition_id IS NOT NULL AND o.supersedes IS NULL THEN
        SELECT n.id, n.partition_no INTO next_id, next_no
          FROM tasks n WHERE n.partition_id = t.partition_id AND n.partition_no = t.partition_no + 1 AND n.waits FOR NO KEY UPDATE;
        UPDATE tasks n SET waits = false WHERE n.id = next_id;
    END IF;
    UPDATE partitions p                                                -- partitions_head_promoted refuses this if an item came in unseen: run again
       SET settled_no  = CASE WHEN o.supersedes IS NULL AND t.partition_no = p.settled_no + 1 THEN p.settled_no + 1 ELSE p.settled_no END,
           promoted_no = COALESCE(next_no, p.promoted_no),
           effect_no   = p.effect_no + of
     WHERE p.id = t.partition_id
    RETURNING p.effect_no - of INTO before;
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no, due, push_due, not_before)
    SELECT made, e.id, t.partition_id, before + row_number() OVER (ORDER BY e.kind, e.id)::int, COALESCE(from_then, clock_timestamp()), COALESCE(from_then, clock_timestamp()), from_then
      FROM effects e WHERE e.project_id = o.project_id AND on_what = ANY (e.on_outcomes);
    IF o.outcome = 'reopen' THEN
        SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                          ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'reopened', o.person_id)
          INTO raised FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = t.item_id;
    END IF;
    IF o.supersedes IS NOT NULL THEN
        INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
        VALUES ('decision.overturned', o.person_id, o.project_id, o.item_id, o.task_id, made,
                jsonb_strip_nulls(jsonb_build_object('supersedes', o.supersedes, 'reopened', raised)));
    END IF;
    RETURN made;
END $function$
;

CREATE OR REPLACE FUNCTION public.raise_task(parent tasks, new_kind text, new_queue text, new_priority integer, new_wanted integer, new_limit integer, new_price bigint, new_barred integer[], because text, by_person integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN RAISE EXCEPTION '% of % is refused: rows there are facts', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $function$
;

CREATE OR REPLACE FUNCTION public.reopen_item(a item_actions, i items, OUT why text, OUT decision_id bigint, OUT lost boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE d decisions; o decisions; parent tasks; by_rule jsonb; broken text;
BEGIN
    SELECT x.* INTO STRICT d FROM decisions x WHERE x.item_id = i.id AND x.outcome IS NOT NULL ORDER BY x.id DESC LIMIT 1;
    SELECT x.* INTO STRICT parent FROM tasks x WHERE x.id = d.task_id;
    INSERT INTO reason_codes (project_id, code, label, reserved) VALUES (i.project_id, 'desk.sent_back', 'Sent back by a lead', true) ON CONFLICT DO NOTHING;
    by_rule := eyes_rule(i.project_id, i.id, d.task_id, 'reopen', true, 'desk.sent_back');
    SELECT version INTO o.project_version FROM projects WHERE id = i.project_id;
    IF by_rule IS NOT NULL THEN
        PERFORM propose(parent, o.project_version, a.asked_by, 'overturn', NULL, 'reopen', d.id, 'desk.sent_back', a.why, by_rule, a.id);
        why := 'proposed: it waits for a second pair of eyes';
        RETURN;
    END IF;
    o.item_id := i.id; o.task_id := d.task_id; o.project_id := i.project_id; o.person_id := a.asked_by; o.verdict := 'overturn'; o.outcome := 'reopen'; o.supersedes := d.id;
    o.evidence_version := d.evidence_version; o.shown_version := d.shown_version; o.evidence_hash := d.evidence_hash; o.reason_code := 'desk.sent_back'; o.note := a.why;
    decision_id := put_outcome(o, parent, NULL);
    PERFORM note_action(a, 'item.sent_back', i, parent, jsonb_build_object('supersedes', d.id));
EXCEPTION WHEN unique_violation THEN
    GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
    IF broken NOT IN ('decisions_superseded_once', 'approvals_one_open') THEN RAISE; END IF;
    why := 'somebody overturned it just now'; decision_id := NULL; lost := true;
END $function$
;

CREATE OR REPLACE FUNCTION public.reopen_retracted(of_retraction bigint, of_item bigint)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version, t.partition_id, r.requested_by, r.reason, t AS task,
           CASE WHEN p.four_eyes IS NOT NULL THEN eyes_rule(p.id, d.item_id, d.task_id, 'reopen', true, 'desk.retracted') END AS rule
      FROM tombstones s JOIN retractions r ON r.id = s.retraction_id JOIN decisions d ON d.id = s.decision_id
      JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE s.retraction_id = of_retraction AND s.item_id = of_item AND s.status = 'pending' AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id)),
blocked AS MATERIALIZED (                                              -- somebody's overturn waits; where it has ended by now it is due at once
    SELECT a.id, p.reason_code = 'desk.retracted' AND p.supersedes = target.id AS own
      FROM target JOIN approvals a ON a.open_item = target.item_id JOIN proposals p ON p.id = a.id),
still AS MATERIALIZED (SELECT a.id FROM approvals a WHERE a.id IN (SELECT id FROM blocked) AND a.open_item IS NOT NULL FOR SHARE),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, requested_by, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.retracted', reason
      FROM target WHERE rule IS NULL AND NOT EXISTS (SELECT FROM blocked)
    RETURNING *),
proposed AS (
    SELECT propose(task, version, requested_by, 'overturn', NULL, 'reopen', id, 'desk.retracted', reason, rule) AS approval_id
      FROM target WHERE rule IS NOT NULL AND NOT EXISTS (SELECT FROM blocked)),
waiting AS (
    INSERT INTO retraction_waits (retraction_id, item_id, approval_id, own, due)
    SELECT of_retraction, of_item, approval_id, true, false FROM proposed
    UNION ALL SELECT of_retraction, of_item, id, own, NOT own AND NOT EXISTS (SELECT FROM still) FROM blocked
        ON CONFLICT DO NOTHING),
wanted_effects AS MATERIALIZED (
    SELECT o.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM overturned o JOIN effects e ON e.project_id = o.project_id
     WHERE 'overturn' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + COALESCE((SELECT max(of) FROM wanted_effects), 0)
      FROM target, overturned WHERE p.id = target.partition_id
    RETURNING p.id, old.effect_no AS before),
reopened AS (                                                          -- earlier eyes are barred
    SELECT raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                      ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'retracted', o.person_id) AS task_id
      FROM overturned o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id
     WHERE (SELECT count(*) FROM moved) >= 0),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT e.decision_id, e.effect_id, moved.id, moved.before + e.nth FROM wanted_effects e LEFT JOIN moved ON true),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', o.person_id, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', (SELECT task_id FROM reopened), 'retraction', of_retraction)
      FROM overturned o)
SELECT id FROM overturned UNION ALL SELECT NULL FROM proposed $function$
;

CREATE OR REPLACE FUNCTION public.retraction_due()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
    UPDATE retraction_waits SET due = true WHERE approval_id = NEW.id AND (NOT own OR NEW.state = 'voided');
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.return_item(a item_actions, i items, t tasks)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE held assignments; ended tasks;
BEGIN
    IF t.kind NOT IN ('escalation', 'adjudication') THEN RETURN 'it is in review already'; END IF;
    SELECT x.* INTO held FROM assignments x WHERE x.task_id = t.id AND x.ended_at IS NULL FOR NO KEY UPDATE SKIP LOCKED;
    IF held.lease_expires > clock_timestamp() OR held.id IS NULL AND cardinality(t.seen_by) > cardinality(t.votes) THEN RETURN 'somebody holds it'; END IF;
    UPDATE assignments SET ended_at = clock_timestamp(), end_reason = 'expired' WHERE id = held.id;
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, assignment_id)
    SELECT 'assignment.expired', held.person_id, i.project_id, i.id, t.id, held.id WHERE held.id IS NOT NULL;
    UPDATE tasks SET ended_as = 'returned', ended_at = clock_timestamp(), seen_by = array_remove(seen_by, held.person_id) WHERE id = t.id RETURNING * INTO ended;
    PERFORM raise_task(ended, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                       ARRAY(SELECT DISTINCT d.person_id FROM decisions d
                              WHERE d.item_id = i.id AND d.assignment_id IS NOT NULL AND d.verdict IS DISTINCT FROM 'escalate'), 'returned', a.asked_by)
       FROM projects p WHERE p.id = i.project_id;
    PERFORM note_action(a, 'task.returned', i, t, jsonb_build_object('note', a.why));
    RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.run_bulk_overturn(of_bulk bigint, at_once integer)
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE b bulk_overturns;
BEGIN
    SELECT * INTO b FROM bulk_overturns WHERE id = of_bulk AND state = 'running' FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM FROM tasks t WHERE t.id IN (SELECT m.task_id FROM bulk_overturn_members m WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once)
      ORDER BY t.id FOR NO KEY UPDATE;
    PERFORM FROM partitions p                                          -- in one order, as by intake and publishing
      WHERE p.id IN (SELECT t.partition_id FROM bulk_overturn_members m JOIN tasks t ON t.id = m.task_id WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once)
      ORDER BY p.key, p.id FOR NO KEY UPDATE;
    RETURN QUERY
    WITH due AS MATERIALIZED (
        SELECT m.n, m.decision_id,
               CASE WHEN i.evidence_version <> m.evidence_version THEN 'it changed since it was listed'
                    WHEN b.approved_by = ANY (touched(m.item_id, 0)) THEN 'who approved the list has had it in their hands since'
                    ELSE not_overturned(d, b.outcome, b.answer) END AS why
          FROM bulk_overturn_members m JOIN decisions d ON d.id = m.decision_id JOIN items i ON i.id = m.item_id
         WHERE m.bulk_id = b.id AND m.n > b.reached AND m.n <= b.reached + at_once
           AND NOT EXISTS (SELECT FROM bulk_overturn_ends e WHERE e.bulk_id = m.bulk_id AND e.n = m.n)),
    done AS MATERIALIZED (
        SELECT g.n, o.decision_id
          FROM (SELECT due.n, due.decision_id FROM due WHERE due.why IS NULL ORDER BY due.n OFFSET 0) g
         CROSS JOIN LATERAL overturn(g.decision_id, b.requested_by, b.outcome, b.answer, b.reason_code, b.note, b.id, b.approved_by) o),
    ends AS (
        INSERT INTO bulk_overturn_ends (bulk_id, n, came_to, why, decision_id)
        SELECT b.id, due.n, CASE WHEN done.n IS NULL THEN 'left_out' ELSE 'overturned' END, CASE WHEN done.n IS NULL THEN COALESCE(due.why, 'nothing of it can be overturned') END,
               done.decision_id
          FROM due LEFT JOIN done ON done.n = due.n
        RETURNING came_to),
    moved AS (
        UPDATE bulk_overturns l
           SET reached = least(b.reached + at_once, b.listed), touched_at = clock_timestamp(), overturned = b.overturned + (SELECT count(*) FROM done),
               left_out = b.left_out + (SELECT count(*) FROM ends WHERE ends.came_to = 'left_out')
         WHERE l.id = b.id)
    SELECT done.decision_id FROM done ORDER BY done.n;
END $function$
;

CREATE OR REPLACE FUNCTION public.sampled_at_most(population integer, sample integer, wrong integer, bad integer)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT COALESCE(sum(CASE WHEN p > -700 THEN exp(p) END), 0)
      FROM generate_series(greatest(0, sample + bad - population), least(wrong, bad, sample)) i
     CROSS JOIN LATERAL (SELECT ln_choose(bad, i) + ln_choose(population - bad, sample - i) - ln_choose(population, sample)) s (p) $function$
;

CREATE OR REPLACE FUNCTION public.sampled_by(t tasks, for_person integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    SELECT t.held_for IS NOT NULL AND EXISTS (
               SELECT FROM batch_decisions b JOIN batch_draws d ON d.batch_id = b.id JOIN batch_members m ON m.batch_id = b.id AND m.n = d.n
                WHERE b.id = t.held_for AND b.led_by = for_person AND b.state = 'sampling' AND m.task_id = t.id) $function$
;

CREATE OR REPLACE FUNCTION public.second_eyes(of_task bigint, me integer, said_verdict text, said_answer jsonb, reason text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE t tasks; a approvals; p proposals; said_outcome text := COALESCE(said_verdict, 'answer'); said_before boolean;
BEGIN
    SELECT * INTO STRICT t FROM tasks WHERE id = of_task;
    IF t.kind <> 'approval' THEN
        RETURN CASE WHEN eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, reason) IS NOT NULL
                      OR t.wanted > 1 AND eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, 'agreement') IS NOT NULL THEN 'proposed' ELSE 'decided' END;
    END IF;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id);
    SELECT * INTO STRICT p FROM proposals WHERE id = a.id;
    IF t.id = a.task_id THEN RETURN CASE WHEN backs(p, said_verdict, said_answer) THEN 'decided' ELSE 'disputed' END; END IF;
    SELECT COALESCE(bool_or((d.verdict, d.answer) IS NOT DISTINCT FROM (said_verdict, said_answer)), false) INTO said_before
      FROM decisions d WHERE d.item_id = t.item_id AND d.task_id = a.task_id AND d.person_id <> me;
    RETURN CASE WHEN said_before OR backs(p, said_verdict, said_answer) OR stands(p, said_verdict, said_answer) THEN 'decided'
                WHEN eyes_rule(t.project_id, t.item_id, t.id, said_outcome, a.overturns, reason) IS NULL THEN 'decided' ELSE 'proposed' END;
END $function$
;

CREATE OR REPLACE FUNCTION public.see_again(t tasks, of_version integer, me integer, said_verdict text, said_answer jsonb, reason text, words text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE a approvals; p proposals; d decisions; o decisions; said_outcome text := COALESCE(said_verdict, 'answer'); hands int[]; to_lead bigint;
BEGIN
    IF t.kind <> 'approval' THEN
        RETURN CASE WHEN t.wanted = 1
                    THEN propose(t, of_version, me, said_verdict, said_answer, said_outcome, NULL, reason, words, eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, reason))
                    ELSE propose(t, of_version, 0, said_verdict, said_answer, said_outcome, NULL, 'agreement', '',
                                 eyes_rule(t.project_id, t.item_id, t.id, said_outcome, false, 'agreement')) END;
    END IF;
    SELECT * INTO STRICT a FROM approvals WHERE t.id IN (task_id, decider_id) FOR NO KEY UPDATE;
    SELECT * INTO STRICT p FROM proposals WHERE id = a.id;
    IF t.ended_as = 'disputed' THEN
        hands := touched(t.item_id, 0);
        IF NOT EXISTS (SELECT FROM people l WHERE l.role = 'lead' AND l.disabled_at IS NULL AND NOT l.program AND NOT l.id = ANY (hands)) THEN hands := ARRAY[p.person_id]; END IF;
        SELECT raise_task(t, 'approval', 'escalation', t.priority, 1, NULL, t.price_minor, hands, 'seen_differently', me) INTO to_lead;
        PERFORM move_approval(a, 'rejected', me, to_lead, NULL);
        RETURN a.id;
    END IF;
    IF t.id = a.task_id THEN a := move_approval(a, 'approved', me, NULL, NULL); END IF;
    IF t.ended_as = 'proposed' THEN                                    -- a third answer is a proposal of its own
        PERFORM move_approval(a, 'resolved', me, NULL, NULL);
        RETURN propose(t, of_version, me, CASE WHEN a.overturns THEN 'overturn' ELSE said_verdict END, said_answer, said_outcome, p.supersedes, reason, words,
                       eyes_rule(t.project_id, t.item_id, t.id, said_outcome, a.overturns, reason));
    END IF;
    SELECT * INTO d FROM decisions x WHERE x.item_id = t.item_id AND x.task_id = a.task_id AND x.assignment_id IS NOT NULL;
    o.item_id := t.item_id; o.task_id := t.id; o.project_id := t.project_id; o.supersedes := p.supersedes;
    o.evidence_version := t.evidence_version; o.shown_version := t.shown_version; o.evidence_hash := t.evidence_hash;
    IF backs(p, said_verdict, said_answer) THEN                        -- the outcome is in the words of who said it first
        o.person_id := p.person_id; o.approval_id := a.id; o.approved_by := me; o.project_version := p.project_version;
        o.verdict := p.verdict; o.answer := p.answer; o.outcome := p.outcome; o.reason_code := p.reason_code; o.note := p.note;
    ELSIF d.person_id <> me AND (d.verdict, d.answer) IS NOT DISTINCT FROM (said_verdict, said_answer) THEN
        o.person_id := d.person_id; o.approval_id := a.id; o.approved_by := me; o.project_version := d.project_version;
        o.verdict := d.verdict; o.answer := d.answer; o.outcome := said_outcome; o.reason_code := d.reason_code; o.note := d.note;
    ELSE
        o.person_id := me; o.project_version := of_version;
        o.verdict := said_verdict; o.answer := said_answer; o.outcome := said_outcome; o.reason_code := reason; o.note := words;
    END IF;
    IF a.overturns THEN o.verdict := 'overturn'; END IF;
    IF stands(p, said_verdict, said_answer) AND o.outcome <> 'reopen' OR EXISTS (SELECT FROM decisions x WHERE x.supersedes = p.supersedes) THEN
        PERFORM move_approval(a, 'resolved', me, NULL, NULL);          -- what stands stays
    ELSE
        PERFORM move_approval(a, 'resolved', me, NULL, put_outcome(o, t, NULL));
    END IF;
    RETURN a.id;
END $function$
;

CREATE OR REPLACE FUNCTION public.stands(p proposals, said_verdict text, said_answer jsonb)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT EXISTS (SELECT FROM decisions d WHERE d.id = p.supersedes
                    AND (said_verdict, said_answer) IS NOT DISTINCT FROM (CASE WHEN d.outcome <> 'answer' THEN d.outcome END, d.answer)) $function$
;

CREATE OR REPLACE FUNCTION public.touched(of_item bigint, beside bigint)
 RETURNS integer[]
 LANGUAGE sql
AS $function$
    SELECT COALESCE(array_agg(DISTINCT who), '{}')
      FROM (SELECT a.person_id FROM tasks t CROSS JOIN LATERAL (SELECT person_id FROM assignments WHERE task_id = t.id OFFSET 0) a WHERE t.item_id = of_item AND t.id <> beside
             UNION ALL SELECT d.person_id FROM decisions d WHERE d.item_id = of_item AND d.task_id <> beside
             UNION ALL SELECT l.person_id FROM late_looks l WHERE l.item_id = of_item AND l.task_id <> beside
             UNION ALL SELECT p.person_id FROM proposals p WHERE p.item_id = of_item
             UNION ALL SELECT e.created_by FROM evidence e WHERE e.item_id = of_item
             UNION ALL SELECT b.created_by FROM items i JOIN batches b ON b.id = i.batch_id WHERE i.id = of_item
             UNION ALL SELECT m.received_by FROM items i JOIN messages m ON m.id = i.message_id WHERE i.id = of_item
             UNION ALL SELECT e.person_id FROM events e WHERE e.item_id = of_item AND e.task_id IS DISTINCT FROM beside) x (who)
     WHERE who <> 0 $function$
;

CREATE OR REPLACE FUNCTION public.unacknowledged(every_days integer, most integer)
 RETURNS TABLE(dataset_id bigint, project_id integer, reminders integer)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT r.dataset_id, r.project_id, n.told
      FROM retractions r JOIN dataset_manifests m ON m.dataset_id = r.dataset_id
     CROSS JOIN LATERAL (SELECT count(*)::int AS told FROM notices n WHERE n.project_id = r.project_id AND n.key LIKE 'reminder ' || r.dataset_id || ' %') n
     WHERE m.made_at > clock_timestamp() - make_interval(days => every_days * (most + 2)) AND n.told < most
       AND m.made_at <= clock_timestamp() - make_interval(days => every_days * (n.told + 1))
       AND NOT EXISTS (SELECT FROM dataset_acks k WHERE k.dataset_id = r.dataset_id) $function$
;

CREATE OR REPLACE FUNCTION public.undo_batch(of_batch bigint, of_decisions bigint[], by_person integer)
 RETURNS SETOF bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version FROM keep_effects(of_batch, asked_undone(of_batch, of_decisions, by_person)) k (id) JOIN decisions d ON d.id = k.id JOIN projects p ON p.id = d.project_id),
cleared AS MATERIALIZED (SELECT count(void_overturn(item_id, by_person)) AS n FROM (SELECT item_id FROM target ORDER BY item_id OFFSET 0) t),
undone AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, by_person, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.undone', ''
      FROM target WHERE (SELECT n FROM cleared) >= 0 ORDER BY id
    RETURNING *),
reopened AS (
    SELECT o.id, raise_task(t, 'relabel', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                            ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = t.item_id AND d.assignment_id IS NOT NULL), 'undone', by_person) AS task_id
      FROM undone o JOIN tasks t ON t.id = o.task_id JOIN items i ON i.id = o.item_id JOIN projects p ON p.id = o.project_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, item_id, task_id, decision_id, detail)
    SELECT 'decision.overturned', by_person, o.project_id, o.item_id, o.task_id, o.id,
           jsonb_build_object('supersedes', o.supersedes, 'reopened', reopened.task_id, 'batch_decision', of_batch)
      FROM undone o JOIN reopened ON reopened.id = o.id)
SELECT id FROM undone $function$
;

CREATE OR REPLACE FUNCTION public.undoes(d decisions)
 RETURNS boolean
 LANGUAGE sql
AS $function$
    SELECT d.outcome = 'reopen' AND EXISTS (SELECT FROM batch_ends e WHERE e.decision_id = d.supersedes AND e.came_to = 'decided')
       AND NOT EXISTS (SELECT FROM outbox o WHERE o.decision_id = d.supersedes AND (NOT o.undone OR o.attempts > 0)) $function$
;

CREATE OR REPLACE FUNCTION public.variance_band(amount numeric)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT CASE WHEN amount = 0 THEN '0'
                ELSE CASE WHEN amount < 0 THEN '-' ELSE '' END
                     || CASE WHEN abs(amount) < 1 THEN '0 to 1'
                             ELSE '1' || repeat('0', length(trunc(abs(amount))::text) - 1) || ' to 1' || repeat('0', length(trunc(abs(amount))::text)) END END $function$
;

CREATE OR REPLACE FUNCTION public.void_approval()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE held_by int; was_overturn boolean;
BEGIN
    SELECT e.held_by, e.was_overturn INTO held_by, was_overturn FROM end_approval(OLD, 0) e;
    IF NOT was_overturn THEN
        PERFORM raise_task(NEW, 'review', item_queue(i), item_priority(i), p.wanted, p.abandon_limit, p.price_minor,
                           ARRAY(SELECT DISTINCT d.person_id FROM decisions d WHERE d.item_id = OLD.item_id AND d.assignment_id IS NOT NULL),
                           CASE WHEN NEW.evidence_version <> OLD.evidence_version THEN 'evidence_changed' ELSE 'rules_changed' END, 0)
           FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = OLD.item_id;
    END IF;
    NEW.ended_as := 'voided'; NEW.ended_at := clock_timestamp(); NEW.seen_by := array_remove(NEW.seen_by, held_by);
    NEW.evidence_version := OLD.evidence_version; NEW.shown_version := OLD.shown_version; NEW.evidence_hash := OLD.evidence_hash;
    RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.void_overturn(of_item bigint, by_person integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE t tasks; held_by int;
BEGIN
    SELECT x.* INTO t FROM approvals a JOIN tasks x ON x.id = COALESCE(a.decider_id, a.task_id)
     WHERE a.open_item = of_item AND a.overturns AND x.ended_as IS NULL FOR NO KEY UPDATE OF x;
    IF FOUND THEN                                                      -- else: none waits, or it moved on and what was undone is refused as overturned
        SELECT e.held_by INTO held_by FROM end_approval(t, by_person) e;
        UPDATE tasks SET ended_as = 'voided', ended_at = clock_timestamp(), seen_by = array_remove(seen_by, held_by) WHERE id = t.id;
    END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.walk_outcomes(in_project integer, of_person integer, for_reason text, since timestamp with time zone, until timestamp with time zone, place_at timestamp with time zone, place_id bigint, at_most integer)
 RETURNS TABLE(outcome_id bigint, at timestamp with time zone, place bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE low bigint; high bigint := place_id;
BEGIN
    IF of_person IS NOT NULL THEN
        RETURN QUERY
        SELECT CASE WHEN d.project_id = in_project AND COALESCE(for_reason, d.reason_code) = d.reason_code THEN outcome_of(d) END, d.created_at, d.id
          FROM decisions d
         WHERE d.person_id = of_person AND d.created_at >= since AND d.created_at < until AND (d.created_at, d.id) < (place_at, place_id)
         ORDER BY d.created_at DESC, d.id DESC LIMIT at_most;
        RETURN;
    END IF;
    low := CASE WHEN since > timestamptz 'epoch' THEN last_decision_before(since - interval '2 s') ELSE 0 END;
    IF until < clock_timestamp() - interval '2 s' THEN high := least(high, last_decision_before(until + interval '2 s') + 1); END IF;
    IF for_reason IS NOT NULL THEN
        RETURN QUERY
        SELECT CASE WHEN d.created_at >= since AND d.created_at < until THEN outcome_of(d) END, d.created_at, d.id
          FROM decisions d WHERE d.project_id = in_project AND d.reason_code = for_reason AND d.id > low AND d.id < high ORDER BY d.id DESC LIMIT at_most;
    ELSE
        RETURN QUERY
        SELECT CASE WHEN d.created_at >= since AND d.created_at < until THEN d.id END, d.created_at, d.id
          FROM decisions d WHERE d.project_id = in_project AND d.outcome IS NOT NULL AND d.id > low AND d.id < high ORDER BY d.id DESC LIMIT at_most;
    END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.whose_data()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    SELECT p.customer_id, i.gold INTO NEW.customer_id, NEW.gold FROM items i JOIN projects p ON p.id = i.project_id WHERE i.id = NEW.item_id;
    RETURN NEW;
END $function$
;

