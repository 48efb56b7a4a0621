-- Which version of a project's rules its guidance is from: a change of other rules is no new version of it.
ALTER TABLE project_versions ADD COLUMN guidance_version int DEFAULT 1;
ALTER TABLE project_versions DISABLE TRIGGER append_only;
UPDATE project_versions v SET guidance_version = f.first
  FROM (SELECT project_id, version, max(CASE WHEN news THEN version END) OVER (PARTITION BY project_id ORDER BY version) AS first
          FROM (SELECT project_id, version,
                       COALESCE(rules ->> 'guidance', '') IS DISTINCT FROM lag(COALESCE(rules ->> 'guidance', '')) OVER (PARTITION BY project_id ORDER BY version) AS news
                  FROM project_versions) told) f
 WHERE f.project_id = v.project_id AND f.version = v.version;
ALTER TABLE project_versions ENABLE TRIGGER append_only;
CREATE FUNCTION number_guidance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT CASE WHEN COALESCE(v.rules ->> 'guidance', '') = COALESCE(NEW.rules ->> 'guidance', '') THEN v.guidance_version END INTO NEW.guidance_version
      FROM project_versions v WHERE v.project_id = NEW.project_id AND v.version = NEW.version - 1;
    NEW.guidance_version := COALESCE(NEW.guidance_version, NEW.version);
    RETURN NEW;
END $$;
CREATE TRIGGER number_guidance BEFORE INSERT ON project_versions FOR EACH ROW EXECUTE FUNCTION number_guidance();
ALTER TABLE project_versions ALTER COLUMN guidance_version SET NOT NULL;
CREATE INDEX project_versions_guidance ON project_versions (project_id, version) WHERE guidance_version = version;
