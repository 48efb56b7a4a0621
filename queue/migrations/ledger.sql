-- The ledger of applied migrations, made by the runner itself.
CREATE TABLE IF NOT EXISTS migrations (
    name     text PRIMARY KEY,
    checksum text NOT NULL);
GRANT SELECT ON migrations TO claimcheck_web, claimcheck_worker;
