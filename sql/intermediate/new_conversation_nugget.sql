-- mart.conversation_nugget for the current run: what became of each nugget over a conversation. The last reply that speaks
-- of it decides: what one states and a later one turns around is contradicted, what is corrected is covered.
-- One row per conversation of several replies, system and nugget; none where a reply could not be matched.
create or replace view new_conversation_nugget as
with replies as (
    select
        answer.run_id,
        answer.conversation_id,
        answer.system,
        answer.turn,
        answer.answer_key,
        coalesce(answer.conversation_nugget_set_key, question.nugget_set_key) as nugget_set_key
    from run_answer as answer
    join run_question as question using (run_id, question_id)
    where answer.run_id = getvariable('run_id') and answer.n_turns > 1
),

matched as (from nugget_match where fingerprint = pinned('match')),

assigned as (from nugget_assignment where fingerprint = pinned('assign')),

states as (
    select
        replies.*,
        nugget.position,
        coalesce(assigned.state, matched.state) as state,
        min(replies.turn) filter (coalesce(assigned.state, matched.state) = 'covered') over (
            partition by replies.conversation_id, replies.system, nugget.position
        ) as covered_turn
    from replies
    join current_nugget as nugget using (nugget_set_key)
    left join matched using (answer_key, nugget_set_key, position)
    left join assigned using (answer_key, nugget_set_key, position)
)

select
    run_id,
    conversation_id as question_id,
    system,
    'n' || (position + 1) as nugget_id,
    coalesce(
        arg_max(state, turn) filter (state in ('covered', 'contradicted')),
        if(bool_or(state = 'partial'), 'partial', 'missing')
    ) as state,
    list(state order by turn) as turn_states,
    any_value(covered_turn) as covered_turn,
    min(turn) filter (state = 'contradicted') as contradicted_turn,
    min(turn) filter (state = 'contradicted' and turn > covered_turn) as unsaid_turn
from states
group by run_id, conversation_id, system, position
having count(state) = count(*);
