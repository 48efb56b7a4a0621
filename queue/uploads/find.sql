-- uploads: those that rows of a project may name: its customer's, or the sender's own.
SELECT u.public_id, u.name, u.content_type, u.size, u.sha256, u.object_key
  FROM uploads u JOIN projects p ON p.id = %(project_id)s::int
 WHERE u.public_id = ANY (%(uploads)s::uuid[]) AND (u.customer_id = p.customer_id OR u.person_id = %(by)s::int);
