-- A declined appeal is not asked again at once: a pause that a lead has let stand can be appealed anew after a week, another pause at any time.
CREATE INDEX appeals_person ON appeals (person_id, skill_id, id);
CREATE FUNCTION appeal_from(k person_skills) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(a.answered_at) + interval '7 days' FROM appeals a WHERE a.person_id = k.person_id AND a.skill_id = k.skill_id AND a.answered_at >= k.since $$;
