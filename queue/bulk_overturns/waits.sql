-- bulk_overturns: whether one waits for a worker.
SELECT EXISTS (SELECT FROM bulk_overturns WHERE state IN ('gathering', 'running')) AS waits;
