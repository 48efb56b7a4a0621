-- An item's priority now: as it came, moved by what its project's priority has changed by since. Computed anew from what is on record each time, so a
-- boost may be broken off and run again, and reaches what is on its way.
CREATE FUNCTION item_priority(i items) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT least(greatest(i.priority + p.priority - COALESCE(
               (SELECT (v.rules ->> 'priority')::int FROM project_versions v
                 WHERE v.project_id = i.project_id AND v.created_at <= i.created_at ORDER BY v.version DESC LIMIT 1), p.priority), -10), 20)::smallint
      FROM projects p WHERE p.id = i.project_id $$;
