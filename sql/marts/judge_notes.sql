-- What must stand beside each number of the rubric's judge, such as "unlicensed judge"; nothing where nothing must.
-- One row per run and metric that the judge's marks make.
create or replace view judge_notes as
select judge_standing.run_id, of_the_judge.metric, judge_standing.judge_note
from judge_standing
cross join (
    select unnest([
        'rubric_score', 'safety_capped_score', 'medical_correctness', 'evidence_sufficiency', 'response_alignment',
        'safety'
    ]) as metric
) as of_the_judge
where judge_standing.judge_note is not null;
