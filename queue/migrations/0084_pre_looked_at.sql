-- A skill's agreement is counted over its newest tasks of several looks.
CREATE INDEX tasks_looked_at ON tasks (project_id, id) WHERE wanted > 1;
