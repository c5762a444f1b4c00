-- What must stand beside each number of the rubric's judge, such as "unlicensed judge"; nothing where nothing must.
-- One row per run and metric that the judge's marks make.
create or replace view judge_notes as
select judge_standing.run_id, metrics.metric, judge_standing.judge_note
from judge_standing
join metrics on metrics.metric_group = 'rubric'
where judge_standing.judge_note is not null;
