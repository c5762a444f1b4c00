-- Nuggets of which the language model says something else than the embedded signals, for a person to decide;
-- the gravest first: one sees a contradiction where the other sees none.
-- One row per run, question, system and nugget.
create or replace view nugget_disagreements as
select
    run_id, question_id, system, nugget_id, nugget, importance, signals_state, model_state, score, margin,
    claim_ids, contrasts, reason
from nugget_states
where model_state is not null and signals_state is not null and model_state <> signals_state
order by
    run_id,
    'contradicted' not in (signals_state, model_state),
    'covered' not in (signals_state, model_state),
    question_id,
    system,
    nugget_id;
