-- metrics: how many leases the tasks of the latest 10,000 leases have had.
SELECT least(t.lease_count, 21) AS leases, count(*)::int AS tasks
  FROM (SELECT DISTINCT a.task_id FROM (SELECT task_id FROM assignments ORDER BY id DESC LIMIT 10000) a) a JOIN tasks t ON t.id = a.task_id
 GROUP BY least(t.lease_count, 21) ORDER BY leases;
