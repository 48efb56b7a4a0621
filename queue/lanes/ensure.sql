-- lanes: a project's queues have theirs, by its skill and tier.
INSERT INTO lanes (skill_id, tier, queue)
SELECT s.id, %(tier)s::smallint, given.queue FROM skills s, unnest(%(queues)s::text[]) AS given (queue) WHERE s.name = %(skill)s::text
    ON CONFLICT (skill_id, tier, queue) DO NOTHING;
