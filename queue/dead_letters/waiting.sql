-- dead_letters: how many nobody has replayed yet; counted to a hundred.
SELECT count(*)::int AS letters FROM (SELECT FROM dead_letters_open LIMIT 100) AS heads;
