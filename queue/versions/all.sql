-- project_versions: a page of a project's, newest first, those before one (0: from the newest); at least one, and no more after a MiB of rules.
SELECT version, shown_version, rules, why, created_at, by
  FROM (SELECT page.*, sum(octet_length(rules::text)) OVER (ORDER BY version DESC) - octet_length(rules::text) AS bytes_before
          FROM (SELECT v.version, v.shown_version, v.rules, v.why, v.created_at, p.name AS by
                  FROM project_versions v JOIN people p ON p.id = v.created_by
                 WHERE v.project_id = %(project_id)s::int AND v.version < COALESCE(NULLIF(%(after)s::int, 0), 2147483647)
                 ORDER BY v.version DESC LIMIT %(limit)s::int) page) measured
 WHERE bytes_before < 1048576
 ORDER BY version DESC;
