-- An action whose items wait for a second pair of eyes on their being opened again tells every other lead what was proposed and by whom: until that is over it is its asker's alone.
CREATE INDEX item_action_ends_proposed ON item_action_ends (action_id, n) WHERE done AND why IS NOT NULL;

CREATE FUNCTION proposes(a item_actions) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT a.kind = 'send_back'
       AND (a.state IN ('gathering', 'listed', 'acting') AND EXISTS (SELECT FROM projects p WHERE p.four_eyes IS NOT NULL)
            OR EXISTS (SELECT FROM item_action_ends e JOIN item_action_members m ON m.action_id = e.action_id AND m.n = e.n JOIN approvals x ON x.open_item = m.item_id
                        WHERE e.action_id = a.id AND e.done AND e.why IS NOT NULL)) $$;
