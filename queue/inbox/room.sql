-- inbox: how many messages wait, counted no further than the limit.
SELECT count(*) AS n FROM (SELECT FROM inbox LIMIT %(limit)s::bigint) waiting;
