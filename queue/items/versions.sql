-- evidence: each version of an item with its parts, newest first, and the evidence hash that tasks and decisions carry for it.
SELECT e.version, e.created_at, e.published_at, e.last_error, person.pseudonym AS sent_by,
       COALESCE((SELECT t.evidence_hash FROM tasks t WHERE t.item_id = e.item_id AND t.evidence_version = e.version ORDER BY t.id DESC LIMIT 1),
                (SELECT d.evidence_hash FROM decisions d WHERE d.item_id = e.item_id AND d.evidence_version = e.version ORDER BY d.id DESC LIMIT 1)) AS evidence_hash,
       (SELECT jsonb_agg(jsonb_build_object('n', p.n, 'name', p.name, 'content_type', p.content_type, 'size', p.size, 'sha256', encode(p.sha256, 'hex')) ORDER BY p.n)
          FROM evidence_parts p WHERE p.item_id = e.item_id AND p.version = e.version) AS parts
  FROM evidence e JOIN people person ON person.id = e.created_by
 WHERE e.item_id = %(item_id)s::bigint
 ORDER BY e.version DESC LIMIT 50;
