WITH p AS (
    INSERT INTO projects (customer_id, name, skill_id, created_by) SELECT %(customer)s, %(name)s, k.id, 0 FROM skills k WHERE k.name = 'documents' RETURNING *),
v AS (INSERT INTO project_versions (project_id, version, shown_version, rules, created_by) SELECT id, 1, 1, %(rules)s, 0 FROM p),
q AS (INSERT INTO queues (project_id, name, lane_id) SELECT p.id, l.queue, l.id FROM p JOIN lanes l ON l.skill_id = p.skill_id AND l.tier = 0),
r AS (INSERT INTO reason_codes (project_id, code, label) SELECT id, 'ok', 'Fine' FROM p),
b AS (INSERT INTO batches (project_id, created_by) SELECT id, 0 FROM p)
SELECT id FROM p
