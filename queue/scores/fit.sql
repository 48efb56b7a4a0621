-- skills: how sure its posteriors may be, and whether weights beat plain majority there. weighing: its tasks that were counted → none: a fit that broke off leaves them.
WITH counted AS (
    DELETE FROM weighing WHERE task_id = ANY (%(task_ids)s::bigint[]))
UPDATE skills SET temperature = %(temperature)s::float8, weighs = %(weighs)s::boolean, fitted_at = %(begun)s::timestamptz WHERE id = %(skill_id)s::int;
