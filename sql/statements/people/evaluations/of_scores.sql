-- Yield each judge's mean human score, aspect by aspect and over the aspects, and how far annotators agree.
select judge, metric, question_id, system, annotator, role, score
from human_score
where
    dataset = (select dataset from run where run_id = $run_id)
    and target = 'evaluation' and score is not null
    and judge in (select judge from mart.judgement where run_id = $run_id)
order by judge, metric, question_id, system, annotator
