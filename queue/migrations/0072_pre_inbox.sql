-- Pools that have long gone are forgotten.
GRANT DELETE ON pipeline_workers TO claimcheck_web;
