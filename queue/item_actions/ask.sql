-- item_actions: none → acting on the items that were named, or → gathering those that fit filters; by a lead.
WITH asked AS (
    INSERT INTO item_actions (asked_by, kind, what, why, filters, state, members)
    SELECT me.id, %(kind)s::text, %(what)s::jsonb, %(why)s::text, %(filters)s::jsonb, CASE WHEN %(filters)s::jsonb IS NULL THEN 'acting' ELSE 'gathering' END,
           cardinality(%(item_ids)s::bigint[])
      FROM people me WHERE me.id = %(me)s::int AND me.role = 'lead' AND me.disabled_at IS NULL
    RETURNING id, asked_by, kind, what, why, filters, members),
listed AS (
    INSERT INTO item_action_members (action_id, n, item_id)
    SELECT asked.id, given.n, given.item_id FROM asked CROSS JOIN unnest(%(item_ids)s::bigint[]) WITH ORDINALITY given (item_id, n)),
noted AS (
    INSERT INTO events (kind, person_id, detail)
    SELECT 'item_action.asked', asked_by, jsonb_build_object('action', id, 'kind', kind, 'what', what, 'why', why, 'filters', filters, 'named', members) FROM asked)
SELECT id FROM asked;
