-- item_actions: whether one waits for a worker, or something was kept for somebody for too long.
SELECT EXISTS (SELECT FROM item_actions a WHERE a.state IN ('gathering', 'acting'))
    OR EXISTS (SELECT FROM tasks t WHERE t.meant_until <= (SELECT clock_timestamp())) AS waits;
