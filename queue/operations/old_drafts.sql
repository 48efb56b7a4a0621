-- drafts: how many are older than so many days and not of something that is held now.
SELECT count(*)::int AS n FROM drafts d
 WHERE d.saved_at < clock_timestamp() - make_interval(days => %(days)s::int)
   AND NOT EXISTS (SELECT FROM assignments a WHERE a.task_id = d.task_id AND a.person_id = d.person_id AND a.ended_at IS NULL);
