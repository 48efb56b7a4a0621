-- Whoever draws again and again until a sample suits does not get the bound for it: the doubt that a project allows is spent over all draws of an item.

-- Lists that were dropped, or undone, after their sample had been drawn: how often, at most, an item of this one was on such a list, whoever began it.
CREATE INDEX batch_members_item ON batch_members (item_id);
CREATE FUNCTION drawn_before(of_batch bigint) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT COALESCE(max(n), 0)::int
      FROM (SELECT count(*) AS n
              FROM batch_members m JOIN batch_members was ON was.item_id = m.item_id AND was.batch_id <> m.batch_id
              JOIN batch_decisions b ON b.id = was.batch_id AND b.seed IS NOT NULL AND b.state IN ('dropping', 'dropped', 'undoing', 'undone')
             WHERE m.batch_id = of_batch GROUP BY m.item_id) items $$;

-- The doubt that the nth draw may use, so that all of them together use no more than the project allows. 0: drawn before this was kept.
CREATE FUNCTION doubt_of(confidence float8, nth int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT (1 - confidence) * CASE nth WHEN 0 THEN 1 ELSE 0.8 * 0.2 ^ (nth - 1) END $$;

-- How likely at most `wrong` of a sample are wrong, where `bad` of its population are: hypergeometric.
CREATE FUNCTION ln_choose(n int, k int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT COALESCE(sum(ln((n - least(k, n - k) + j)::float8 / j)), 0) FROM generate_series(1, least(k, n - k)) j $$;
CREATE FUNCTION sampled_at_most(population int, sample int, wrong int, bad int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT COALESCE(sum(CASE WHEN p > -700 THEN exp(p) END), 0)
      FROM generate_series(greatest(0, sample + bad - population), least(wrong, bad, sample)) i
     CROSS JOIN LATERAL (SELECT ln_choose(bad, i) + ln_choose(population - bad, sample - i) - ln_choose(population, sample)) s (p) $$;

ALTER TABLE batch_decisions ADD COLUMN nth int;
UPDATE batch_decisions SET nth = 0 WHERE seed IS NOT NULL;
ALTER TABLE batch_decisions ADD CONSTRAINT batch_decisions_counted CHECK ((seed IS NULL) = (nth IS NULL));

-- The draw is counted when it is made, and to go on stands on what the sample really came to: no role says either.
CREATE FUNCTION judge_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of record; population int;
BEGIN
    IF NEW.state = 'sampling' THEN
        NEW.nth := 1 + drawn_before(NEW.id);
        RETURN NEW;
    END IF;
    SELECT count(l.decision_id)::int AS looked, (count(*) FILTER (WHERE l.differs))::int AS wrong, (count(*) FILTER (WHERE l.n IS NOT NULL AND l.decision_id IS NULL))::int AS void,
           COALESCE(bool_and(d.place = o.place), true) AS as_drawn
      INTO of
      FROM (SELECT m.n, row_number() OVER (ORDER BY sha256(convert_to(NEW.seed || ':' || m.item_id, 'UTF8'))) AS place FROM batch_members m WHERE m.batch_id = NEW.id) o
      JOIN batch_draws d ON d.batch_id = NEW.id AND d.n = o.n LEFT JOIN batch_looks l ON l.batch_id = NEW.id AND l.n = o.n;
    population := NEW.members - of.void;
    IF NOT of.as_drawn OR (NEW.looked, NEW.wrong, NEW.rest) IS DISTINCT FROM (of.looked, of.wrong, population - of.looked) OR of.looked < least(NEW.sample_size, population)
       OR NEW.upper < 0 OR NEW.upper < NEW.rest AND sampled_at_most(population, of.looked, of.wrong, NEW.upper + of.wrong + 1) > doubt_of(NEW.confidence, NEW.nth) * (1 + 1e-9) THEN
        RAISE EXCEPTION 'the sample of batch decision % does not say that', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'batch_decisions_bound_met';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER judge_batch BEFORE UPDATE ON batch_decisions FOR EACH ROW
    WHEN (OLD.state = 'gathering' AND NEW.state = 'sampling' OR OLD.state = 'sampling' AND NEW.state = 'deciding') EXECUTE FUNCTION judge_batch();

-- One begins as it begins, and nothing about it is known before: who asks says what for, and no more.
REVOKE INSERT ON batch_decisions FROM claimcheck_web;
GRANT INSERT (project_id, project_version, led_by, same, verdict, answer, reason_code, note, at_most, confidence, undo_seconds, most, tolerate, sample_asked) ON batch_decisions TO claimcheck_web;
