-- retractions: somebody's labels are taken back by a lead: the version that says so is asked for with it, cut where the newest one was. None where nothing was delivered.
WITH last AS MATERIALIZED (
    SELECT d.id, d.version, d.up_to FROM datasets d WHERE d.project_id = %(project_id)s::int ORDER BY d.version DESC LIMIT 1),
made AS (
    INSERT INTO datasets (project_id, version, parent_id, kind, up_to, idempotency_key, requested_by)
    SELECT %(project_id)s::int, last.version + 1, last.id, 'retraction', last.up_to, %(idempotency_key)s::text, %(me)s::int FROM last
    RETURNING id, project_id, version),
work AS (
    INSERT INTO dataset_work (dataset_id) SELECT id FROM made),
retracted AS (
    INSERT INTO retractions (project_id, person_id, since, looks_to, scope, relabel, reason, dataset_id, requested_by)
    SELECT project_id, %(person_id)s::int, %(since)s::timestamptz, %(looks_to)s::bigint, %(scope)s::text, %(relabel)s::boolean, %(reason)s::text, id, %(me)s::int FROM made
    RETURNING id, project_id, person_id),
noted AS (
    INSERT INTO events (kind, person_id, project_id, detail)
    SELECT 'labels.retracted', %(me)s::int, project_id, jsonb_build_object('retraction', id, 'person', person_id, 'since', %(since)s::timestamptz, 'reason', %(reason)s::text) FROM retracted)
SELECT id FROM retracted;
