-- Delivered datasets: versions that are made once and never changed, what becomes of labels that are taken back, and who acknowledged.

CREATE TABLE datasets (                               -- one version of what is delivered of a project; a pure function of the decisions up to its cut and the retractions up to its number
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      int NOT NULL REFERENCES projects,
    version         int NOT NULL CHECK (version > 0),
    parent_id       bigint REFERENCES datasets,
    kind            text NOT NULL CHECK (kind IN ('delivery', 'retraction')),
    up_to           bigint NOT NULL,                  -- decisions up to this one
    idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 200),
    requested_by    int NOT NULL REFERENCES people,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT datasets_version_once UNIQUE (project_id, version),
    CHECK ((parent_id IS NULL) = (version = 1)));
CREATE UNIQUE INDEX datasets_key_once ON datasets (project_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE dataset_work (                           -- how far a worker is with it
    dataset_id  bigint PRIMARY KEY REFERENCES datasets,
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'leased', 'done', 'dead')),
    step        text NOT NULL DEFAULT '',             -- what it does now, as people read it
    step_done   bigint NOT NULL DEFAULT 0,
    step_total  bigint NOT NULL DEFAULT 0,
    attempts    int NOT NULL DEFAULT 0,
    due         timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease       uuid,
    lease_until timestamptz,
    last_error  text,
    open_until  timestamptz GENERATED ALWAYS AS (CASE state WHEN 'waiting' THEN due WHEN 'leased' THEN lease_until END) STORED,   -- named only by those who look for work
    CHECK ((state = 'leased') = (lease IS NOT NULL)), CHECK ((lease IS NULL) = (lease_until IS NULL)));
CREATE INDEX dataset_work_open ON dataset_work (open_until) WHERE open_until IS NOT NULL;

CREATE TABLE dataset_files (
    dataset_id   bigint NOT NULL REFERENCES datasets,
    name         text NOT NULL,
    content_type text NOT NULL,
    rows         bigint NOT NULL CHECK (rows >= 0),
    size         bigint NOT NULL CHECK (size >= 0),
    sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32),
    object_key   text NOT NULL,
    facts        jsonb NOT NULL DEFAULT '{}',         -- what was counted on the way
    PRIMARY KEY (dataset_id, name));

CREATE TABLE dataset_manifests (                      -- a version is delivered from here on
    dataset_id bigint PRIMARY KEY REFERENCES datasets,
    sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
    body       bytea NOT NULL,
    rows       bigint NOT NULL,
    counts     jsonb NOT NULL,                        -- rows by status
    made_at    timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE dataset_acks (                           -- the customer has it
    dataset_id bigint NOT NULL REFERENCES datasets,
    person_id  int NOT NULL REFERENCES people,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (dataset_id, person_id));

CREATE TABLE retractions (                            -- a lead takes somebody's labels in a project back
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   int NOT NULL REFERENCES projects,
    person_id    int NOT NULL REFERENCES people,
    since        timestamptz NOT NULL,                -- looks from then on
    looks_to     bigint NOT NULL,                     -- and up to this decision
    scope        text NOT NULL CHECK (scope IN ('all', 'since', 'change')),
    relabel      boolean NOT NULL,                    -- what does not stand without them is opened again; else withdrawn
    reason       text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    dataset_id   bigint NOT NULL UNIQUE REFERENCES datasets,   -- the version that it makes; it holds in that one and all later ones
    requested_by int NOT NULL REFERENCES people,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX retractions_project ON retractions (project_id, id);

CREATE TABLE tombstones (                             -- what a retraction makes of an item
    retraction_id bigint NOT NULL REFERENCES retractions,
    item_id       bigint NOT NULL REFERENCES items,
    decision_id   bigint NOT NULL REFERENCES decisions,        -- the outcome that stood
    status        text NOT NULL CHECK (status IN ('withdrawn', 'confirmed', 'pending')),   -- at once; a pending one resolves by what stands later
    why           text NOT NULL,
    flips         boolean NOT NULL,                   -- the looks that are left say something else
    probability   float8 NOT NULL CHECK (probability BETWEEN 0 AND 1),   -- of what they say
    PRIMARY KEY (retraction_id, item_id));
CREATE INDEX tombstones_item    ON tombstones (item_id, retraction_id);
CREATE INDEX tombstones_pending ON tombstones (retraction_id, (NOT flips), probability, item_id) WHERE status = 'pending';

DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['datasets', 'dataset_files', 'dataset_manifests', 'dataset_acks', 'retractions', 'tombstones'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse()', t);
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse()', t);
        EXECUTE format('GRANT SELECT ON %I TO claimcheck_web, claimcheck_worker', t);
    END LOOP;
END $$;

-- A worker re-opens what a retraction left pending, and nothing else: it may not write decisions. Each once; the decision, or null where something newer stands.
CREATE FUNCTION reopen_retracted(of_retraction bigint, of_item bigint) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
WITH target AS MATERIALIZED (
    SELECT d.*, p.version, t.partition_id, r.requested_by, r.reason
      FROM tombstones s JOIN retractions r ON r.id = s.retraction_id JOIN decisions d ON d.id = s.decision_id
      JOIN projects p ON p.id = d.project_id JOIN tasks t ON t.id = d.task_id
     WHERE s.retraction_id = of_retraction AND s.item_id = of_item AND s.status = 'pending' AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id)),
overturned AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code, note)
    SELECT item_id, task_id, project_id, version, requested_by, 'overturn', 'reopen', id, evidence_version, shown_version, evidence_hash, 'desk.retracted', reason FROM target
    RETURNING *),
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
SELECT id FROM overturned $$;
REVOKE EXECUTE ON FUNCTION reopen_retracted(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reopen_retracted(bigint, bigint) TO claimcheck_worker;

GRANT SELECT ON dataset_work TO claimcheck_web, claimcheck_worker;
-- web
GRANT INSERT ON datasets, dataset_work, dataset_acks, retractions TO claimcheck_web;
GRANT UPDATE (state, attempts, due) ON dataset_work TO claimcheck_web;   -- one that was given up is tried anew
-- worker
GRANT INSERT ON dataset_files, dataset_manifests, tombstones TO claimcheck_worker;
GRANT UPDATE (state, step, step_done, step_total, attempts, due, lease, lease_until, last_error) ON dataset_work TO claimcheck_worker;
