-- Looks stay hidden until their item is settled: while they wait for others, and while somebody adjudicates them.
CREATE OR REPLACE FUNCTION hides_looks(t tasks) RETURNS boolean LANGUAGE sql AS $$
    SELECT t.ended_as IS NULL AND (t.cancelled_at IS NULL OR EXISTS (
               SELECT FROM assignments a WHERE a.task_id = t.id AND a.ended_at IS NULL AND a.lease_expires > clock_timestamp()))
        OR t.ended_as = 'disputed' AND EXISTS (
               SELECT FROM tasks c WHERE c.item_id = t.item_id AND c.parent_id = t.id AND c.kind = 'adjudication' AND c.ended_as IS NULL AND c.cancelled_at IS NULL) $$;
