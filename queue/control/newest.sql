-- control: the newest decision and the newest event that are committed. Ones with lower numbers may still be on their way.
SELECT COALESCE((SELECT max(id) FROM decisions), 0) AS decisions, COALESCE((SELECT max(id) FROM events), 0) AS events;
