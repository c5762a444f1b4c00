-- Return, by what scores are made of, the conversations whose scores in between would need a model to be asked, for any of
-- their replies.
with replies as (
    select coalesce(run_answer.conversation_id, run_answer.question_id) as question_id, system, current_answer.*
        exclude (question_id, system)
    from current_answer
    join run_answer using (question_id, system)
    where run_answer.run_id = getvariable('run_id')
)

select question_id, system from replies
where not is_blank(text) and answer_key not in (
    select answer_key from decomposition where fingerprint = pinned('decompose')
)
union
select question_id, system from replies
semi join nugget on nugget.nugget_set_key = replies.held_against_key
anti join (from match_made where fingerprint = pinned('match')) as made
    on made.answer_key = replies.answer_key and made.nugget_set_key = replies.held_against_key
union
select question_id, system from replies
join fingerprint on fingerprint.fingerprint = pinned('assign') and (spec ->> 'llm') <> 'none'
where held_against_key is not null and (answer_key, held_against_key) not in (
    select (answer_key, nugget_set_key) from nugget_assignment where fingerprint = pinned('assign')
)
union
select question_id, system from replies
join guidance_pending using (answer_key)
