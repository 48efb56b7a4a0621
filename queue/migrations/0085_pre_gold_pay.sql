-- Golds are paid like any look, at the project's price; what a price of their own comes to beside it is a line of the month.
ALTER TABLE gold_exposures ADD COLUMN price_minor bigint CHECK (price_minor >= 0),   -- where gold has a price of its own
                           ADD COLUMN settled_at  timestamptz;
CREATE INDEX gold_exposures_unsettled ON gold_exposures (task_id) WHERE price_minor IS NOT NULL AND settled_at IS NULL;

ALTER TABLE payouts ALTER COLUMN assignment_id DROP NOT NULL,
                    ADD COLUMN project_id integer REFERENCES projects,
                    DROP CONSTRAINT payouts_check,
                    ADD CONSTRAINT payouts_check CHECK (CASE WHEN reverses IS NOT NULL THEN amount_minor <= 0
                                                             WHEN assignment_id IS NOT NULL THEN amount_minor >= 0 AND project_id IS NULL
                                                             ELSE project_id IS NOT NULL END);
GRANT INSERT (person_id, project_id, amount_minor, currency, why) ON payouts TO claimcheck_worker;   -- a month's line, never an assignment's
GRANT UPDATE (settled_at) ON gold_exposures TO claimcheck_worker;

-- How many looks come until so many live items are decided: they, and the golds between them. The count that people see falls by one a look, gold or not.
-- `begun` is 1 while one of the person's looks in the skill is under way, else 0.
CREATE FUNCTION looks_ahead(s person_skills, begun integer, live integer) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s.gold_every > 1 AND live > 0 AND s.status = 'active' AND NOT s.held_back AND EXISTS (
                        SELECT FROM golds g WHERE g.skill_id = s.skill_id AND g.retired_at IS NULL)
                THEN (SELECT a.n - s.looks - begun + 1 FROM generate_series(s.looks + begun, s.looks + begun + 2 * live) a (n)
                       WHERE a.n % s.gold_every <> (hashint8extended(a.n / s.gold_every, s.gold_salt) & 65535) % (s.gold_every - 1)
                       ORDER BY a.n OFFSET live - 1 LIMIT 1)
                ELSE live END $$;
