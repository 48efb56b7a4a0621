-- facets: values of fields that no rule names any more → erased, a step of a project's items; what was found by them goes first.
WITH found AS (
    DELETE FROM policy_gaps WHERE project_id = %(project_id)s::int AND feature = ANY (%(gone)s::text[])),
step AS MATERIALIZED (
    SELECT id FROM items WHERE project_id = %(project_id)s::int AND id > %(after)s::bigint ORDER BY id LIMIT %(limit)s::int),
changed AS (
    UPDATE item_facets f SET facets = f.facets - %(gone)s::text[] FROM step WHERE f.item_id = step.id AND f.facets ?| %(gone)s::text[]
    RETURNING f.item_id)
SELECT (SELECT max(id) FROM step) AS last, count(*) AS changed FROM changed;
