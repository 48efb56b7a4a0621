-- Who works here and who sends work. Secrets stand in tables of their own, so that a role's rights can be given by the table.

CREATE TABLE customers (
    id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE people (
    id          int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    email       text CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),   -- null: a program, it has a token only
    role        text NOT NULL CHECK (role IN ('reviewer', 'lead', 'customer', 'operator', 'system')),
    customer_id int REFERENCES customers,
    program     boolean NOT NULL DEFAULT false,
    pseudonym   text NOT NULL UNIQUE DEFAULT 'p-' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 10),   -- stands on receipts
    disabled_at timestamptz,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT people_email_once UNIQUE (email),
    CONSTRAINT people_customer_of CHECK ((role = 'customer') = (customer_id IS NOT NULL)));
INSERT INTO people (id, name, role, program, pseudonym) OVERRIDING SYSTEM VALUE VALUES (0, 'system', 'system', true, 'system');

CREATE TABLE skills (
    id   int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100));

CREATE TABLE person_skills (
    person_id int NOT NULL REFERENCES people,
    skill_id  int NOT NULL REFERENCES skills,
    tier      smallint NOT NULL DEFAULT 0 CHECK (tier BETWEEN 0 AND 3),
    status    text NOT NULL DEFAULT 'active' CHECK (status IN ('exam', 'active', 'soft_paused', 'paused')),
    PRIMARY KEY (person_id, skill_id) INCLUDE (tier, status));

CREATE TABLE passwords (
    person_id int PRIMARY KEY REFERENCES people,
    hash      text NOT NULL,
    set_at    timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE password_links (                         -- one use, one day
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    person_id  int NOT NULL REFERENCES people,
    created_by int NOT NULL REFERENCES people,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz);

CREATE TABLE sessions (
    hash         bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    person_id    int NOT NULL REFERENCES people,
    address      inet,
    agent        text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    ended_at     timestamptz);
CREATE INDEX sessions_person ON sessions (person_id) WHERE ended_at IS NULL;

CREATE TABLE tokens (                                 -- of the API; the token itself is shown once and not kept
    id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id  int NOT NULL REFERENCES people,
    hash       bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    revoked_at timestamptz);

CREATE TABLE login_attempts (                         -- rate limits must survive a flush of Redis
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email   text NOT NULL,
    address inet NOT NULL,
    ok      boolean NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX login_attempts_email   ON login_attempts (email, at) WHERE NOT ok;
CREATE INDEX login_attempts_address ON login_attempts (address, at) WHERE NOT ok;

CREATE TABLE signing_keys (                           -- receipts are signed by the newest; old ones are kept
    id         text PRIMARY KEY,
    public_key text NOT NULL,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp());
