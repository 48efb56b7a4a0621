-- Which skills have learned something of gold since they were fitted. `updated_at` is when gold last moved a score; weights and agreement leave it alone.
CREATE INDEX scores_learned ON scores (skill_id, updated_at);
