-- What a producer sends again and again, and is refused for the same each time, is one open dead letter that counts how often it came.

ALTER TABLE dead_letters ADD COLUMN sameness bytea CHECK (octet_length(sameness) = 32);   -- of bytes, cause, project and sender; null: each by itself
ALTER TABLE dead_letters_open
    ADD COLUMN sameness bytea,
    ADD COLUMN came_again int NOT NULL DEFAULT 0,
    ADD COLUMN last_came  timestamptz;
CREATE INDEX dead_letters_open_same ON dead_letters_open (sameness) WHERE sameness IS NOT NULL;
CREATE INDEX dead_letters_open_customer ON dead_letters_open (customer_id, code, cause, dead_letter_id);
GRANT UPDATE (came_again, last_came) ON dead_letters_open TO claimcheck_web;

CREATE OR REPLACE FUNCTION open_letters() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO dead_letters_open (dead_letter_id, code, cause, project_id, customer_id, bytes, created_at, sameness)
    SELECT d.id, d.code, d.cause, d.project_id, COALESCE(p.customer_id, d.customer_id), octet_length(d.body), d.created_at, d.sameness
      FROM made d LEFT JOIN projects p ON p.id = d.project_id;
    RETURN NULL;
END $$;
