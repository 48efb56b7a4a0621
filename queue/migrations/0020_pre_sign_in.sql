-- Sign-in: rows that the rate limit no longer needs are found by their time; a person's failures are forgotten once they are in.
CREATE INDEX login_attempts_at ON login_attempts (at);
CREATE INDEX password_links_person ON password_links (person_id) WHERE used_at IS NULL;
CREATE INDEX tokens_person ON tokens (person_id) WHERE revoked_at IS NULL;
