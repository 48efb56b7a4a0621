-- reason_codes: none, retired → known, under this label.
INSERT INTO reason_codes (project_id, code, label, reserved)
SELECT %(project_id)s::int, code, label, %(reserved)s::boolean FROM unnest(%(codes)s::text[], %(labels)s::text[]) AS given (code, label)
    ON CONFLICT (project_id, code) DO UPDATE SET label = excluded.label, retired = false;
