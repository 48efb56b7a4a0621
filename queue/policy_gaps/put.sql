-- policy_gaps: what was found; but for facets that are named no more since it was counted.
INSERT INTO policy_gaps (project_id, feature, value, items, gaps, abandoned, escalated, disagreed, overturned, other_items, other_gaps, lift, low, examples)
SELECT r.project_id, r.feature, r.value, r.items, r.gaps, r.abandoned, r.escalated, r.disagreed, r.overturned, r.other_items, r.other_gaps, r.lift, r.low, r.examples
  FROM jsonb_to_recordset(%(found)s::jsonb) r (project_id int, feature text, value text, items int, gaps int, abandoned int, escalated int, disagreed int,
       overturned int, other_items int, other_gaps int, lift float8, low float8, examples bigint[])
 WHERE NOT starts_with(r.feature, '/') OR r.feature IN (SELECT facets_named(r.project_id));
