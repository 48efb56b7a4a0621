-- assignments: live → live, longer, up to the project's longest hold, if the person was there lately. No row: the lease is lost.
WITH lease AS MATERIALIZED (SELECT * FROM assignments WHERE id = %(assignment_id)s::bigint FOR NO KEY UPDATE),
clock AS MATERIALIZED (SELECT clock_timestamp() AS now FROM lease)      -- read when the lock is held
UPDATE assignments a
   SET lease_expires = CASE WHEN %(idle_seconds)s::int > lease.idle_seconds THEN a.lease_expires
                            ELSE greatest(a.lease_expires, least(clock.now + make_interval(secs => a.lease_seconds), a.hold_until)) END
  FROM lease, clock
 WHERE a.id = lease.id
   AND lease.token = %(lease_token)s::uuid AND lease.person_id = %(me)s::int AND lease.ended_at IS NULL AND lease.lease_expires > clock.now
RETURNING a.lease_expires, %(idle_seconds)s::int > a.idle_seconds AS idle, clock.now AS server_now;
