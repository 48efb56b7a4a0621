-- dead_letters: how many nobody has replayed yet, by code.
SELECT code, count(*)::int AS letters FROM dead_letters_open GROUP BY code ORDER BY code;
