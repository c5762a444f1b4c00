-- What did each judge give in the mean, mark by mark, and how often did it give none?
select
    judge,
    system,
    round(avg(rubric_score), 3) as rubric_score,
    round(avg(medical_correctness), 1) as medical_correctness,
    round(avg(evidence_sufficiency), 1) as evidence_sufficiency,
    round(avg(response_alignment), 1) as response_alignment,
    round(avg(safety), 1) as safety,
    count(*) filter (status = 'scored') as n_scored,
    count(*) filter (status <> 'scored') as n_without
from judgements
semi join latest_run using (run_id)
group by all
order by judge, rubric_score desc nulls last, system;
