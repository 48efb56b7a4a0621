-- tasks: none → pending in the skill's gold lane, in no foreseeable order; nobody who saw this gold before gets it again, nor who looked at the item that it was made of, or made it.
WITH given AS MATERIALIZED (
    SELECT * FROM unnest(%(gold_ids)s::bigint[], %(item_ids)s::bigint[], %(hashes)b::bytea[]) g(gold_id, item_id, hash)),
task AS (
    INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, price_minor, evidence_version, shown_version, evidence_hash, barred)
    SELECT given.item_id, p.id, 'gold', q.id, l.id, p.priority, random(), timestamptz '2000-01-01 00:00Z', 1, p.price_minor, 1, p.shown_version, given.hash,
           COALESCE((SELECT array_agg(DISTINCT s.who)
                       FROM (SELECT before.seen_by || before.barred FROM gold_exposures e JOIN tasks before ON before.id = e.task_id WHERE e.gold_id = g.id
                              UNION ALL
                             SELECT live.seen_by FROM tasks live WHERE live.item_id = g.item_id
                              UNION ALL
                             SELECT ARRAY[g.made_by]) known(people)
                      CROSS JOIN LATERAL unnest(known.people) s(who)), '{}')
      FROM given JOIN golds g ON g.id = given.gold_id JOIN projects p ON p.id = g.project_id
      JOIN queues q ON q.project_id = p.id AND q.name = 'review' JOIN lanes l ON l.skill_id = g.skill_id AND l.tier = 0 AND l.queue = 'review' AND l.gold
    RETURNING id, item_id, project_id)
INSERT INTO gold_exposures (task_id, gold_id, price_minor)
SELECT task.id, given.gold_id, NULLIF((v.rules -> 'prices' ->> 'gold')::bigint, p.price_minor)   -- paid with the month: a price on the line would tell the gold
  FROM task JOIN given USING (item_id) JOIN projects p ON p.id = task.project_id JOIN project_versions v ON v.project_id = p.id AND v.version = p.version;
