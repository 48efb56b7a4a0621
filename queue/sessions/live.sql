-- sessions: a person's live ones.
SELECT host(address) AS address, agent, created_at, last_seen_at, hash = %(current)s::bytea AS current
  FROM sessions WHERE person_id = %(person_id)s::int AND ended_at IS NULL AND expires_at > clock_timestamp()
   AND last_seen_at > clock_timestamp() - make_interval(secs => %(idle_seconds)s::int) ORDER BY last_seen_at DESC LIMIT 50;
