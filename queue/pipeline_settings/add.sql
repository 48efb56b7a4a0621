-- pipeline_settings: one more version, after the one that was read; two who change at once: the second is told.
WITH made AS (
    INSERT INTO pipeline_settings (version, settings, source, why, created_by)
    VALUES (%(version)s::int, %(settings)s::jsonb, %(source)s::text, %(why)s::text, %(by)s::int)
        ON CONFLICT (version) DO NOTHING
    RETURNING version),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'pipeline.settings_changed', %(by)s::int, jsonb_build_object('version', version, 'why', %(why)s::text) FROM made)
SELECT version FROM made;
