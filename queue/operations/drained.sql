-- drains: since when the programs take nothing new, by whom and why; no row where they work.
SELECT d.at, p.name AS by, d.reason FROM (SELECT * FROM drains ORDER BY id DESC LIMIT 1) d JOIN people p ON p.id = d.person_id WHERE d.draining;
