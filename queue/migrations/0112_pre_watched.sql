-- A folder in the object store that a project watches: each object comes in once, by its key and ETag.
CREATE TABLE watched_folders (                        -- whose turn it is to look
    project_id int PRIMARY KEY REFERENCES projects,
    free_at    timestamptz NOT NULL);
CREATE TABLE watched_objects (
    project_id int NOT NULL REFERENCES projects,
    key        text NOT NULL,
    etag       text NOT NULL,
    size       bigint NOT NULL,
    taken_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    batch_id   bigint REFERENCES batches,             -- null: none of it could be read
    accepted   int NOT NULL,
    repeated   int NOT NULL,
    refused    int NOT NULL,
    detail     text NOT NULL DEFAULT '',
    PRIMARY KEY (project_id, key, etag));
CREATE INDEX watched_objects_lately ON watched_objects (project_id, taken_at);
CREATE INDEX project_versions_watch ON project_versions (project_id, version) WHERE rules ->> 'watch' IS NOT NULL;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON watched_objects FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON watched_objects FOR EACH STATEMENT EXECUTE FUNCTION refuse();
GRANT SELECT, INSERT ON watched_folders, watched_objects TO claimcheck_web;
GRANT SELECT ON watched_folders, watched_objects TO claimcheck_worker;
GRANT UPDATE (free_at) ON watched_folders TO claimcheck_web;
