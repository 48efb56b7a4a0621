-- watched_objects: which of these are in already.
SELECT w.key, w.etag FROM unnest(%(keys)s::text[], %(etags)s::text[]) o(key, etag)
  JOIN watched_objects w ON w.project_id = %(project_id)s::int AND w.key = o.key AND w.etag = o.etag;
