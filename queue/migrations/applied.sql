-- migrations: which were applied, and what they said.
TABLE migrations;
