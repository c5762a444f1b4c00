-- The rubric's marks: what the judge gave, what the rules made of it, and why there is none.
-- A judge's score of an answer is the mean of its samples that have one; a panel's is the mean over its judges, NULL
-- unless each of them has one. Where no reply could be used, there is a row all the same.
-- One row per run, question, system, judge and sample.
create or replace view judgements as
select
    run_id, question_id, system, judge, sample_no, status,
    medical_correctness, evidence_sufficiency, evidence_sufficiency_raw, response_alignment, safety,
    rubric_score, rubric_score_low, rubric_score_high, safety_capped_score,
    has_references, guidance_given, justification, decided_by, model_answered, n_left_out, notes, reason, judge_standing.judge_note
from mart.judgement
left join judge_standing using (run_id);
