-- Return the questions of two sides, each a system of a run: what became of their nuggets, and where the sides differ.
-- A nugget is the same where its words are. Newly contradicted: contradicted on side b and not on side a.
-- One row per question that either side was asked.
with side as (
    select * from (values ('a', $run_a, $system_a), ('b', $run_b, $system_b)) as side (side, run_id, system)
),

state as (
    select side.side, state.question_id, nugget.text_key, state.state, state.decided_by
    from side
    join mart.nugget_state as state using (run_id, system)
    join mart.nugget as nugget using (run_id, question_id, nugget_id)
),

paired as (
    select
        coalesce(a.question_id, b.question_id) as question_id,
        a.state as state_a,
        b.state as state_b,
        a.decided_by as decided_by_a,
        b.decided_by as decided_by_b
    from (from state where side = 'a') as a
    full join (from state where side = 'b') as b
        on a.question_id = b.question_id and a.text_key = b.text_key
),

counted as (
    select
        question_id,
        count(*) as n_nuggets,
        count(*) filter (state_a = 'covered') as n_covered_a,
        count(*) filter (state_b = 'covered') as n_covered_b,
        count(*) filter (state_a = 'contradicted') as n_contradicted_a,
        count(*) filter (state_b = 'contradicted') as n_contradicted_b,
        count(*) filter (state_a is distinct from state_b) as n_differ,
        count(*) filter (state_b = 'contradicted' and state_a is distinct from 'contradicted') as n_newly,
        list_distinct(list(state_a) || list(state_b)) as states,
        list_distinct(list(decided_by_a) || list(decided_by_b)) as readers
    from paired
    group by question_id
),

asked as (
    select
        run_answer.question_id,
        max(answer.state) filter (side.side = 'a') as answer_a,
        max(answer.state) filter (side.side = 'b') as answer_b,
        max(score.value) filter (side.side = 'a') as coverage_a,
        max(score.value) filter (side.side = 'b') as coverage_b,
        any_value(run_answer.run_id) as run_id
    from side
    join run_answer using (run_id, system)
    left join mart.answer as answer using (run_id, system, question_id)
    left join mart.score as score
        on
            score.run_id = side.run_id
            and score.system = side.system
            and score.question_id = run_answer.question_id
            and score.metric = 'nugget_coverage'
            and score.profile = 'any'
    group by run_answer.question_id
)

select
    asked.question_id, question.question, question.category, question.risk_level,
    asked.answer_a, asked.answer_b, asked.coverage_a, asked.coverage_b,
    coalesce(counted.n_nuggets, 0) as n_nuggets,
    coalesce(counted.n_covered_a, 0) as n_covered_a,
    coalesce(counted.n_covered_b, 0) as n_covered_b,
    coalesce(counted.n_contradicted_a, 0) as n_contradicted_a,
    coalesce(counted.n_contradicted_b, 0) as n_contradicted_b,
    coalesce(counted.n_differ, 0) as n_differ,
    coalesce(counted.n_newly, 0) as n_newly,
    coalesce(counted.states, []) as states,
    coalesce(counted.readers, []) as readers
from asked
left join counted using (question_id)
left join mart.question as question on question.run_id = asked.run_id and question.question_id = asked.question_id
order by asked.question_id;
