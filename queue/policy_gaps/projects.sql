-- policy_gaps: each project's whole, the most gaps first.
SELECT g.project_id, p.name AS project, g.items, g.gaps, g.abandoned, g.escalated, g.disagreed, g.overturned
  FROM (SELECT * FROM policy_gaps WHERE feature = '' AND gaps > 0 ORDER BY gaps DESC, project_id LIMIT 50) g JOIN projects p ON p.id = g.project_id
 ORDER BY g.gaps DESC, g.project_id;
