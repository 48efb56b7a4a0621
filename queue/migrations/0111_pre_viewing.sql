-- What somebody's days of looking at payloads were like, written down once a day is over: what is unusual is measured against it.
CREATE TABLE access_days (
    person_id int NOT NULL REFERENCES people,
    day       date NOT NULL,                          -- in UTC
    views     int NOT NULL,
    items     int NOT NULL,                           -- different ones
    hours     jsonb NOT NULL,                         -- views by hour: {"9": 14}
    PRIMARY KEY (person_id, day));
CREATE INDEX access_days_day ON access_days (day) INCLUDE (person_id, items);
CREATE INDEX access_events_at ON access_events USING brin (at) WITH (pages_per_range = 16);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON access_days FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON access_days FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT, INSERT ON access_days TO claimcheck_web, claimcheck_worker;
