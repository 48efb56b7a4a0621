-- control: one thing was counted, now, and took so many seconds.
UPDATE control_marks SET counted_at = clock_timestamp(), took = %(took)s::float8 WHERE name = %(name)s::text;
