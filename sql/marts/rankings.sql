-- What the listwise judge made of a question's answers, once per order in which it saw them.
-- One row per run, question, judge, order and system.
create or replace view rankings as
select ranking.*, comparing_standing.judge_note
from mart.ranking
left join comparing_standing using (run_id);
