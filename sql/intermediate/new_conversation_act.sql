-- mart.conversation_act for the current run: whether what must be asked or raised was, in which turn, and by the turn that
-- it is wanted by. An answer to a question that stands alone is one turn.
-- One row per question, system and act; none where a reply could not be read.
create or replace view new_conversation_act as
with replies as (
    select
        coalesce(answer.conversation_id, answer.question_id) as question_id,
        answer.system,
        coalesce(answer.turn, 1) as turn,
        answer.answer_key,
        is_blank(text.text) as says_nothing
    from run_answer as answer
    join answer as content using (answer_key)
    join text using (text_key)
    where answer.run_id = getvariable('run_id')
),

acts as (
    select run_question.question_id, statement.*
    from run_question
    join guidance_statement as statement using (guidance_set_key)
    anti join earlier_turn using (question_id)
    where run_question.run_id = getvariable('run_id') and statement.kind in ('ask', 'raise')
),

read as (
    select
        acts.question_id,
        replies.system,
        acts.position,
        acts.kind,
        acts.words,
        acts.by_turn,
        replies.turn,
        coalesce(matched.state, if(replies.says_nothing, 'missing', null)) as state,
        matched.score,
        matched.claim_positions,
        matched.reason
    from acts
    join replies using (question_id)
    left join (from guidance_match where fingerprint = pinned('guidance')) as matched
        on
            matched.answer_key = replies.answer_key
            and matched.guidance_set_key = acts.guidance_set_key
            and matched.position = acts.position
),

decided as (
    select
        question_id,
        system,
        position,
        kind,
        any_value(words) as words,
        any_value(by_turn) as by_turn,
        min(turn) filter (state = 'said') as done_turn,
        arg_min(claim_positions[1], turn) filter (state = 'said') as done_claim,
        arg_min(reason, turn) filter (state = 'said') as done_reason,
        coalesce(arg_min(score, turn) filter (state = 'said'), max(score)) as score,
        count(*) as n_turns
    from read
    group by question_id, system, position, kind
    having count(state) = count(*)
)

select
    getvariable('run_id') as run_id,
    question_id,
    system,
    'a' || (position + 1) as act_id,
    kind,
    words,
    by_turn,
    case when done_turn is null then 'missing' when done_turn > by_turn then 'late' else 'done' end as state,
    done_turn as turn,
    'c' || (done_claim + 1) as claim_id,
    score,
    coalesce(
        done_reason,
        'in none of ' || n_turns || if(n_turns = 1, ' reply', ' replies') || coalesce(format(' ({:.2f})', score), '')
    ) as reason
from decided;
