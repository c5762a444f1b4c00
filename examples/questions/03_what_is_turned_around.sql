-- What do answers get dangerously wrong? Every nugget that an answer turns around, with the claim that does it and why.
select
    nugget_states.system,
    nugget_states.question_id,
    nugget_states.nugget as the_fact,
    claims.claim as what_was_said,
    nugget_states.reason,
    questions.risk_level
from nugget_states
join questions using (run_id, question_id)
left join claims
    on claims.run_id = nugget_states.run_id
    and claims.question_id = nugget_states.question_id
    and claims.system = nugget_states.system
    and claims.claim_id = nugget_states.claim_ids[1]
semi join latest_run as latest on latest.run_id = nugget_states.run_id
where nugget_states.state = 'contradicted'
order by
    coalesce(questions.risk_level = 'high', false) desc, nugget_states.system, nugget_states.question_id, nugget_states.nugget_id;
