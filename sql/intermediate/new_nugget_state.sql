-- mart.nugget_state for the current run; a question nobody answered leaves its nuggets missing.
-- One row per question, system and nugget.
create or replace view new_nugget_state as
with matched as (from nugget_match where fingerprint = pinned('match'))

select
    asked.run_id,
    asked.question_id,
    asked.system,
    'n' || (nugget.position + 1) as nugget_id,
    coalesce(matched.state, 'missing') as state,
    matched.score,
    matched.margin,
    list_transform(coalesce(matched.claim_positions, []), lambda p: 'c' || (p + 1)) as claim_ids,
    'c' || (matched.runner_up + 1) as runner_up,
    'c' || (matched.one_to_one + 1) as one_to_one,
    coalesce(matched.conflict, false) as conflict,
    coalesce(matched.ambiguous, false) as ambiguous,
    case when asked.answer_key is null then 'the system gave no answer' else matched.reason end as reason,
    coalesce(matched.contrasts, '[]'::json) as contrasts
from asked
join current_nugget as nugget using (nugget_set_key)
left join matched using (answer_key, nugget_set_key, position)
where asked.answer_key is null or matched.state is not null;
