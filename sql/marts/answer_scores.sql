-- Every answer's scores under its run's profile.
-- One row per run, question and system.
create or replace view answer_scores as
select scores.*
from answer_scores_by_profile as scores
join run using (run_id, profile);
