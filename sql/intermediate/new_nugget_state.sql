-- mart.nugget_state for the current run; a question nobody answered leaves its nuggets missing.
-- Where a language model assigned a nugget its word is the state, and the signals' is kept beside it.
-- One row per question, system and nugget.
create or replace view new_nugget_state as
with matched as (from nugget_match where fingerprint = pinned('match')),

assigned as (from nugget_assignment where fingerprint = pinned('assign')),

states as (
    select
        asked.run_id,
        asked.question_id,
        asked.system,
        asked.answer_key,
        nugget.position,
        coalesce(assigned.state, matched.state, 'missing') as state,
        if(assigned.state is null, 'signals', 'model') as decided_by,
        matched.state as signals_state,
        assigned.state as model_state,
        assigned.state <> matched.state as differs,
        matched.score,
        matched.margin,
        if(assigned.state is distinct from matched.state and assigned.state is not null,
            assigned.claim_positions, matched.claim_positions) as claim_positions,
        matched.runner_up,
        if(assigned.state is null, matched.one_to_one, assigned.one_to_one) as one_to_one,
        matched.conflict,
        matched.ambiguous,
        matched.reason,
        matched.contrasts
    from asked
    join current_nugget as nugget using (nugget_set_key)
    left join matched using (answer_key, nugget_set_key, position)
    left join assigned using (answer_key, nugget_set_key, position)
    anti join run_unasked as unasked
        on unasked.run_id = asked.run_id and unasked.question_id = asked.question_id and unasked.system = asked.system
    where asked.answer_key is null or matched.state is not null or assigned.state is not null
)

select
    run_id,
    question_id,
    system,
    'n' || (position + 1) as nugget_id,
    state,
    decided_by,
    signals_state,
    model_state,
    score,
    margin,
    list_transform(coalesce(claim_positions, []), lambda p: 'c' || (p + 1)) as claim_ids,
    'c' || (runner_up + 1) as runner_up,
    'c' || (one_to_one + 1) as one_to_one,
    coalesce(conflict, false) as conflict,
    coalesce(ambiguous, false) as ambiguous,
    case
        when answer_key is null then 'the system gave no answer'
        when differs
            then 'the model says ' || model_state || '; the signals say ' || signals_state || ': ' || reason
        else coalesce(reason, 'as the model says')
    end as reason,
    coalesce(contrasts, '[]'::json) as contrasts
from states;
