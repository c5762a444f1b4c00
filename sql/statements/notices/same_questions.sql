-- Say which questions stand in a run under several ids: those that count as one case, and those that may be one.
with asked as (
    select
        *, coalesce(case_id, question_id) as unit,
        trim(regexp_replace(lower(question), '[^\p{L}\p{N}<>]+', ' ', 'g')) as words
    from questions
    where run_id = $1
    -- Earlier replies of a conversation answer what the user says next, not questions of the data.
    and question_id not in (select question_id from mart.turn where run_id = $1 and turn < n_turns)
)

select
    count(distinct unit) = 1 and any_value(unit) in (select question_id from asked) as is_one_case,
    count(*)::int as n_questions, min(question_id) as first_id,
    (select count(*) from asked)::int as n_all, (select count(distinct unit) from asked)::int as n_units
from asked
group by words, guidance
having count(*) > 1 and (is_one_case or (count(distinct unit) > 1 and count(distinct reference_answer) > 1))
order by is_one_case desc, n_questions desc, first_id
