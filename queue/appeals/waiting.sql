-- appeals: how many wait for a lead; counted to a hundred.
SELECT count(*)::int AS waiting FROM (SELECT FROM appeals WHERE answered_at IS NULL LIMIT 100) AS open;
