-- Where items were abandoned, escalated, disagreed on or overturned more often than elsewhere in their project, counted anew by a worker.
-- The row without a feature is the project's whole.
CREATE TABLE policy_gaps (
    project_id   int NOT NULL REFERENCES projects,
    feature      text NOT NULL,
    value        text NOT NULL,
    items        int NOT NULL,
    gaps         int NOT NULL,
    abandoned    int NOT NULL,
    escalated    int NOT NULL,
    disagreed    int NOT NULL,
    overturned   int NOT NULL,
    other_items  int NOT NULL,
    other_gaps   int NOT NULL,
    lift         float8,
    low          float8,
    examples     bigint[] NOT NULL,
    PRIMARY KEY (project_id, feature, value),
    CONSTRAINT policy_gaps_within CHECK (gaps <= items AND other_gaps <= other_items)
);
GRANT SELECT ON policy_gaps TO claimcheck_web, claimcheck_worker;
GRANT INSERT, DELETE ON policy_gaps TO claimcheck_worker;
