-- What items are grouped by beside what intake keeps of every one: the few fields that a project names as facets, a version of the evidence each. A number is the band it lies in.
CREATE TABLE item_facets (
    item_id bigint NOT NULL,
    version int NOT NULL,
    facets  jsonb NOT NULL,
    PRIMARY KEY (item_id, version),
    FOREIGN KEY (item_id, version) REFERENCES evidence (item_id, version),
    CONSTRAINT item_facets_few CHECK (jsonb_typeof(facets) = 'object' AND length(facets::text) <= 2000));
GRANT SELECT, INSERT ON item_facets TO claimcheck_web, claimcheck_worker;
GRANT UPDATE (facets) ON item_facets TO claimcheck_web;                -- what no rule names any more is erased
GRANT DELETE ON policy_gaps TO claimcheck_web;                         -- and what was found by it

-- The fields that a project's rules in force name.
CREATE FUNCTION facets_named(of_project int) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT jsonb_array_elements_text(v.rules -> 'facets') FROM projects p JOIN project_versions v ON v.project_id = p.id AND v.version = p.version
     WHERE p.id = of_project $$;

-- Values as they are grouped, of the fields that are named now: they may have been read under older rules.
CREATE FUNCTION facets_of(given jsonb, of_project int) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT COALESCE(jsonb_object_agg(g.key, CASE jsonb_typeof(g.value) WHEN 'number' THEN variance_band(g.value::numeric) ELSE g.value #>> '{}' END), '{}')
      FROM jsonb_each(given) g WHERE g.key IN (SELECT facets_named(of_project)) $$;
