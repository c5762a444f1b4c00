-- Return a sheet of the run's evaluations of the answers that this annotator has scored on every aspect.
select
    judgement.question_id, judgement.system, judgement.judge, question.question, text.text as answer,
    judgement.medical_correctness, judgement.evidence_sufficiency, judgement.response_alignment,
    judgement.safety, judgement.justification
from mart.judgement as judgement
join mart.question as question using (run_id, question_id)
join mart.answer as answer using (run_id, question_id, system)
join text on text.text_key = answer.text_key
where judgement.run_id = ? and judgement.status = 'scored' and judgement.sample_no = 0
order by judgement.question_id, judgement.system, judgement.judge
