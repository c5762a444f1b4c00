-- What metrics of conversations are made of: nuggets over all replies, and what was asked and raised by when.
-- One row per question and system of the current run.
create or replace view conversation_counts as
with several as (
    select conversation_id as question_id, system
    from mart.turn
    where run_id = getvariable('run_id') and n_turns > 1
    group by all
),

nuggets as (
    select
        question_id,
        system,
        count(*) as n_conversation_nuggets,
        count(*) filter (state = 'covered') as n_covered_at_last,
        count(covered_turn) as n_ever_covered,
        count(contradicted_turn) as n_ever_contradicted,
        count(unsaid_turn) as n_unsaid
    from mart.conversation_nugget
    where run_id = getvariable('run_id')
    group by question_id, system
),

wanted as (
    select
        question_id,
        count(*) filter (kind = 'ask') as n_to_ask,
        count(*) filter (kind = 'ask' and by_turn is not null) as n_to_ask_by_turn,
        count(*) filter (kind = 'raise') as n_to_raise
    from run_question
    join guidance_statement using (guidance_set_key)
    where run_id = getvariable('run_id') and kind in ('ask', 'raise')
    group by question_id
),

acts as (
    select
        question_id,
        system,
        count(*) filter (kind = 'ask' and state <> 'missing') as n_asked_of_user,
        count(*) filter (kind = 'ask' and by_turn is not null and state = 'done') as n_asked_in_time,
        count(*) filter (kind = 'raise' and state = 'done') as n_raised
    from mart.conversation_act
    where run_id = getvariable('run_id')
    group by question_id, system
),

unread as (
    select
        coalesce(answer.conversation_id, answer.question_id) as question_id,
        answer.system,
        if(bool_or(undone.state = 'failed'), 'failed', 'abstained') as state
    from run_answer as answer
    join answer_undone as undone
        on undone.question_id = answer.question_id and undone.system = answer.system
    where answer.run_id = getvariable('run_id') and undone.part in ('guidance', 'claims', 'matching')
    group by all
)

select
    answer.question_id,
    answer.system,
    nuggets.n_conversation_nuggets,
    nuggets.n_covered_at_last,
    nuggets.n_ever_covered,
    nuggets.n_ever_contradicted,
    nuggets.n_unsaid,
    case
        when earlier.question_id is not null
            then not_applicable('an earlier reply of a conversation, which is counted as a whole')
        when several.question_id is null then not_applicable('the question is no conversation of several replies')
        when unread.state is not null then undone('a reply could not be matched; see outcomes', unread.state)
        else not_applicable('the conversation has no nuggets')
    end as no_conversation,
    wanted.question_id is null or acts.question_id is not null or answer.state = 'not_answered' as acts_are_known,
    -- NULL where nobody read the replies.
    if(acts_are_known, coalesce(wanted.n_to_ask, 0), null) as n_to_ask,
    if(acts_are_known, coalesce(wanted.n_to_ask_by_turn, 0), null) as n_to_ask_by_turn,
    if(acts_are_known, coalesce(wanted.n_to_raise, 0), null) as n_to_raise,
    coalesce(acts.n_asked_of_user, 0) as n_asked_of_user,
    coalesce(acts.n_asked_in_time, 0) as n_asked_in_time,
    coalesce(acts.n_raised, 0) as n_raised,
    case
        when earlier.question_id is not null
            then not_applicable('an earlier reply of a conversation, which is counted as a whole')
        when acts_are_known then null
        when (current_run.settings ->> 'reader') = 'none' then not_applicable('no reader was asked (--reader none)')
        else undone('a reply could not be read; see outcomes', unread.state)
    end as no_acts
from mart.answer as answer
cross join current_run
left join earlier_turn as earlier using (question_id)
left join several using (question_id, system)
left join nuggets using (question_id, system)
left join wanted on wanted.question_id = answer.question_id and earlier.question_id is null
left join acts using (question_id, system)
left join unread using (question_id, system)
where answer.run_id = getvariable('run_id');
