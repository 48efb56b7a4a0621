-- inbox: how many messages wait, counted no further than the limit.
SELECT count(*)::int AS n FROM (SELECT FROM inbox LIMIT %(limit)s::bigint) waiting;
