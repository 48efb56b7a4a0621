-- A relay locks the records that it is writing, so that several relays don't write the same ones.
GRANT UPDATE ON pipeline_unlogged TO claimcheck_web;
