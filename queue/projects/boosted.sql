-- projects: whether one is boosted, since when, and whether a lead took that off.
SELECT boost, boosted_at, boost_off FROM projects WHERE id = %(project_id)s::int;
