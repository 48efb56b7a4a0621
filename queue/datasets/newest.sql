-- datasets: a project's newest version, whether it is still being made, and whether something was decided or retracted since its cut.
SELECT d.id, d.version, d.up_to, w.state IN ('waiting', 'leased') AS in_making, w.state = 'done' AS delivered,
       EXISTS (SELECT FROM decisions n JOIN items i ON i.id = n.item_id WHERE n.project_id = d.project_id AND n.outcome IS NOT NULL AND n.id > d.up_to AND NOT i.gold) AS has_news
  FROM datasets d JOIN dataset_work w ON w.dataset_id = d.id
 WHERE d.project_id = %(project_id)s::int
 ORDER BY d.version DESC LIMIT 1;
