-- batch_draws: the next places by the same seed stand in for those that came to nothing; none where the list is at its end.
WITH batch AS MATERIALIZED (
    SELECT b.* FROM batch_decisions b WHERE b.id = %(batch_id)s::bigint AND b.state = 'sampling' FOR NO KEY UPDATE),
ordered AS (
    SELECT m.batch_id, m.n, row_number() OVER (ORDER BY sha256(convert_to(batch.seed || ':' || m.item_id, 'UTF8')))::int AS place
      FROM batch JOIN batch_members m ON m.batch_id = batch.id),
more AS (
    INSERT INTO batch_draws (batch_id, place, n)
    SELECT o.batch_id, o.place, o.n FROM ordered o CROSS JOIN batch WHERE o.place > batch.drawn AND o.place <= %(places)s::int ORDER BY o.place
    RETURNING place)
UPDATE batch_decisions b SET drawn = greatest(b.drawn, (SELECT max(place) FROM more))
  FROM batch WHERE b.id = batch.id AND EXISTS (SELECT FROM more);
