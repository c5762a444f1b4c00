-- What became of every nugget in every answer, by which claims, and why.
-- One row per run, question, system and nugget.
create or replace view nugget_states as
select
    state.run_id, state.question_id, state.system, state.nugget_id, nugget.nugget, nugget.importance,
    state.state, state.score, state.margin, state.claim_ids, state.runner_up, state.one_to_one,
    state.conflict, state.ambiguous, state.reason, state.contrasts,
    state.decided_by, state.signals_state, state.model_state
from mart.nugget_state as state
join nuggets as nugget using (run_id, question_id, nugget_id);
