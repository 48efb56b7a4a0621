-- migrations: one more is applied.
INSERT INTO migrations (name, checksum) VALUES (%(name)s, %(checksum)s);
