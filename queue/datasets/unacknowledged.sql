-- retractions: versions that took labels back, that nobody acknowledged, and of which it is time to remind again.
SELECT u.dataset_id, u.project_id, u.reminders FROM unacknowledged(%(days)s::int, %(most)s::int) u ORDER BY u.dataset_id LIMIT 100;
