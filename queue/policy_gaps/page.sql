-- policy_gaps: what stands out, the most gaps beyond the usual first; of a project or (0) of all.
SELECT g.project_id, p.name AS project, g.feature, g.value, COALESCE(c.label, g.value) AS label, g.items, g.gaps, g.abandoned, g.escalated, g.disagreed, g.overturned,
       g.other_items, g.other_gaps, g.lift, g.low, g.examples
  FROM (SELECT *, gaps - items * other_gaps::float8 / greatest(other_items, 1) AS beyond FROM policy_gaps
         WHERE feature <> '' AND (%(project_id)s::int = 0 OR project_id = %(project_id)s::int)
         ORDER BY beyond DESC, project_id, feature, value LIMIT %(limit)s::int) g
  JOIN projects p ON p.id = g.project_id LEFT JOIN reason_codes c ON g.feature = 'reason' AND c.project_id = g.project_id AND c.code = g.value
 ORDER BY g.beyond DESC, g.project_id, g.feature, g.value;
