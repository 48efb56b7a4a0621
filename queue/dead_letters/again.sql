-- dead_letters: open → open, and came again: refused for the same, with the same bytes of the same sender.
WITH given AS MATERIALIZED (SELECT * FROM unnest(%(samenesses)b::bytea[], %(times)s::int[]) g(sameness, times)),
there AS MATERIALIZED (
    SELECT o.dead_letter_id, o.sameness FROM dead_letters_open o
     WHERE o.dead_letter_id IN (SELECT min(m.dead_letter_id) FROM given g JOIN dead_letters_open m ON m.sameness = g.sameness GROUP BY g.sameness)
     ORDER BY o.dead_letter_id FOR NO KEY UPDATE),
counted AS (
    UPDATE dead_letters_open o SET came_again = o.came_again + g.times, last_came = clock_timestamp()
      FROM there JOIN given g USING (sameness) WHERE o.dead_letter_id = there.dead_letter_id)
SELECT t.sameness, d.id AS dead_letter_id, d.idempotency_key, d.code, d.field, d.detail FROM there t JOIN dead_letters d ON d.id = t.dead_letter_id;
