-- mart.guidance_state for the current run: what each answer says of each instruction of its question's guidance. A blank
-- answer says nothing.
-- One row per question, system and instruction; none where the answer could not be read.
create or replace view new_guidance_state as
select
    asked.run_id,
    asked.question_id,
    asked.system,
    'g' || (statement.position + 1) as statement_id,
    statement.kind,
    statement.words,
    statement.text_key,
    coalesce(matched.state, 'missing') as state,
    matched.score,
    list_transform(coalesce(matched.claim_positions, []), lambda p: 'c' || (p + 1)) as claim_ids,
    coalesce(matched.reason, 'the answer is empty') as reason
from asked
join run_question using (run_id, question_id)
join guidance_statement as statement using (guidance_set_key)
left join (from guidance_match where fingerprint = pinned('guidance')) as matched
    on
        matched.answer_key = asked.answer_key
        and matched.guidance_set_key = statement.guidance_set_key
        and matched.position = statement.position
left join earlier_turn as earlier using (question_id)
where
    asked.answer_key is not null
    and (matched.state is not null or is_blank(asked.text))
    and statement.kind in ('do', 'dont', 'red_flag')
    -- What must not be said must not be said in any reply; what must be said is said in the last, or in a conversation's.
    and (earlier.question_id is null or statement.kind = 'dont');
