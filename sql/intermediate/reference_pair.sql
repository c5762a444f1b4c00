-- Each claim of an answer beside the reference of its question: what the answer says beyond the nuggets is held against
-- the reference as a whole.
-- One row per answer and claim.
create or replace view reference_pair as
select
    run_answer.question_id,
    run_answer.system,
    run_answer.answer_key,
    'c' || (claim.position + 1) as claim_id,
    run_question.reference_key as premise_key,
    claim.text_key as hypothesis_key
from run_answer
join run_question using (run_id, question_id)
join current_claim as claim using (answer_key)
where
    run_answer.run_id = getvariable('run_id')
    and run_question.reference_key is not null
    and claim.kind = 'claim';
