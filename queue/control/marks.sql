-- control: when each thing was counted.
SELECT name, counted_at, took, clock_timestamp() AS server_now FROM control_marks;
