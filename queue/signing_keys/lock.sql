-- signing_keys: one maker of a key at a time; held to the end of the transaction.
SELECT pg_advisory_xact_lock(4202612);
