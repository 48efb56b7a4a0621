-- Searches of items under a name: each has an address for good, its person's alone or every lead's.
CREATE TABLE saved_views (
    id        int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id int NOT NULL REFERENCES people,
    name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    shared    boolean NOT NULL,
    filters   jsonb NOT NULL,
    saved_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT saved_views_name_once UNIQUE (person_id, name));
CREATE INDEX saved_views_shared ON saved_views (name) WHERE shared;
GRANT SELECT, INSERT, DELETE, UPDATE (shared, filters, saved_at) ON saved_views TO claimcheck_web;
