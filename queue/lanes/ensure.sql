-- lanes: a project's queues have theirs, by its skill and tier; what looks dispute waits among the trusted, gold beside the skill's review lane.
INSERT INTO lanes (skill_id, tier, queue, gold)
SELECT s.id, given.tier, given.queue, given.gold
  FROM skills s
 CROSS JOIN (SELECT CASE WHEN q IN ('adjudication', 'approval') THEN greatest(%(tier)s::smallint, 2) ELSE %(tier)s::smallint END AS tier, q AS queue, false AS gold
               FROM unnest(%(queues)s::text[]) q
              UNION ALL SELECT 0, 'review', true) given
 WHERE s.name = %(skill)s::text
    ON CONFLICT ON CONSTRAINT lanes_once DO NOTHING;
