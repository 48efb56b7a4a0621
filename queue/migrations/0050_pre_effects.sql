-- Effects are applied: whose turn it is, what the doorbell is rung for, how an endpoint rests, and a former secret that still signs.

-- An effect outside a partition has its turn at once. Of a partition one effect has it, and the partition's row knows which: a done or a skip that
-- did not see the effect a submit has just added would leave the partition standing, so the server refuses it and the statement runs again.
ALTER TABLE outbox
    ADD COLUMN turn        boolean NOT NULL DEFAULT true,
    ADD COLUMN unanswered  int NOT NULL DEFAULT 0,    -- pushes since somebody came for it
    ADD COLUMN first_tried timestamptz,               -- of this series of attempts; null: not tried yet, or an operator wants it tried anew
    ADD COLUMN ring_for    int GENERATED ALWAYS AS (CASE WHEN turn AND state IN ('pending', 'leased') THEN effect_id END) STORED,   -- named only by those who look for work
    ADD COLUMN leased_for  int GENERATED ALWAYS AS (CASE WHEN state = 'leased' THEN effect_id END) STORED;   -- named only by those who count what is in flight
ALTER TABLE partitions ADD COLUMN turn_no int NOT NULL DEFAULT 0;
ALTER TABLE partitions ADD CONSTRAINT partitions_turn_given CHECK (turn_no = least(applied_no + 1, effect_no));
DROP INDEX outbox_due;
CREATE INDEX        outbox_ring     ON outbox (ring_for, push_due) WHERE ring_for IS NOT NULL;
CREATE INDEX        outbox_leased   ON outbox (leased_for) WHERE leased_for IS NOT NULL;
CREATE UNIQUE INDEX outbox_one_turn ON outbox (partition_id) WHERE turn AND state IN ('pending', 'leased', 'dead');

-- Submit and overturn only number a partition's effects; what that makes of its turn is said here, once for both, under the partition's row lock.
CREATE FUNCTION number_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.turn_no := least(NEW.applied_no + 1, NEW.effect_no); RETURN NEW; END $$;
CREATE TRIGGER number_turn BEFORE UPDATE OF effect_no ON partitions FOR EACH ROW EXECUTE FUNCTION number_turn();

CREATE FUNCTION give_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN SELECT NEW.effect_no = p.turn_no INTO STRICT NEW.turn FROM partitions p WHERE p.id = NEW.partition_id; RETURN NEW; END $$;
CREATE TRIGGER give_turn BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.partition_id IS NOT NULL) EXECUTE FUNCTION give_turn();

ALTER TABLE effects
    ADD COLUMN failures      int NOT NULL DEFAULT 0,  -- calls in a row that the endpoint did not answer well
    ADD COLUMN rest_until    timestamptz,             -- it is not called before
    ADD COLUMN sealed_former bytea,                   -- the secret before the last rotation
    ADD COLUMN former_until  timestamptz,             -- it signs beside the new one until then
    ADD CHECK ((sealed_former IS NULL) = (former_until IS NULL));

GRANT UPDATE (turn, unanswered, first_tried) ON outbox TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (turn_no) ON partitions TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (failures, rest_until) ON effects TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (sealed_former, former_until) ON effects TO claimcheck_web;
