-- A message's id is given under its partition's lock, before its row is inserted in the order of the keys.
GRANT USAGE ON SEQUENCE messages_id_seq TO claimcheck_web;
