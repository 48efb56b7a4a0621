-- When what is shown or asked changes, open tasks are hashed anew, a page at a time; this says up to which version that is done.
ALTER TABLE projects ADD COLUMN rehashed_version int NOT NULL DEFAULT 1 CHECK (rehashed_version <= shown_version);
GRANT UPDATE (rehashed_version) ON projects TO claimcheck_web, claimcheck_worker;
