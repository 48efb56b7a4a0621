-- inbox: none → waiting again, a message that had left it for the dead letters; one that waits, or is an item, is left alone. Its partition is locked.
WITH dead AS MATERIALIZED (
    SELECT m.id, m.project_id, m.partition_key, g.body
      FROM unnest(%(message_ids)s::bigint[], %(bodies)b::bytea[]) g(message_id, body) JOIN messages m ON m.id = g.message_id
     WHERE NOT EXISTS (SELECT FROM inbox i WHERE i.message_id = m.id) AND NOT EXISTS (SELECT FROM items t WHERE t.message_id = m.id)),
turn AS (
    UPDATE inbox_partitions p SET open = p.open + d.n, due = clock_timestamp()
      FROM (SELECT project_id, partition_key, count(*)::int AS n FROM dead GROUP BY project_id, partition_key) d
     WHERE p.project_id = d.project_id AND p.key = d.partition_key
    RETURNING p.id, p.project_id, p.key)
INSERT INTO inbox (message_id, partition_id, body)
SELECT dead.id, turn.id, dead.body FROM dead JOIN turn ON turn.project_id = dead.project_id AND turn.key = dead.partition_key ORDER BY dead.id
RETURNING message_id;
