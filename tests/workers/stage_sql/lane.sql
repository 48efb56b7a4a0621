WITH skill AS (INSERT INTO skills (name) VALUES ('documents') ON CONFLICT DO NOTHING RETURNING id)
INSERT INTO lanes (skill_id, tier, queue) SELECT id, 0, 'review' FROM skill
