-- How near each rationale comes to the reference author's of the same answer.
-- One row per run, answer, author, sample and measure.
create or replace view rationale_scores as
select * exclude (pair_key)
from mart.rationale_score;
