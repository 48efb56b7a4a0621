-- dead_letters: the newest one's number; what is refused from now on has a higher one.
SELECT COALESCE(max(id), 0) AS id FROM dead_letters;
