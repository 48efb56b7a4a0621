-- Operations: what operators did is found without reading everybody's events; secrets can be sealed anew by the owner.
CREATE INDEX events_operations ON events (id) WHERE kind LIKE 'operations.%';
