-- reason_codes: known → retired, all but these. Decisions were made by them, so they are kept.
UPDATE reason_codes SET retired = true
 WHERE project_id = %(project_id)s::int AND NOT code = ANY (%(codes)s::text[]) AND NOT reserved AND NOT retired;
