-- golds: those of a skill, newest first, without their labels.
SELECT g.id, g.item_id, g.project_id, p.name AS project, COALESCE(e.title, '') AS title, i.idempotency_key, g.origin, g.exposures, g.max_exposures, m.name AS made_by, g.made_at,
       g.retired_at, g.retired_why
  FROM golds g JOIN projects p ON p.id = g.project_id JOIN items i ON i.id = g.item_id JOIN people m ON m.id = g.made_by
  LEFT JOIN evidence e ON e.item_id = i.id AND e.version = i.evidence_version
 WHERE g.skill_id = %(skill_id)s::int AND g.id < %(before)s::bigint
 ORDER BY g.id DESC LIMIT %(limit)s::int;
