-- evidence: what one version shows under a project version's rules.
SELECT e.item_id, e.version, e.fields, v.version AS shown_version, v.rules -> 'show' AS show
  FROM evidence e CROSS JOIN project_versions v
 WHERE e.item_id = %(item_id)s::bigint AND e.version = %(version)s::int AND v.project_id = %(project_id)s::int AND v.version = %(shown_version)s::int;
