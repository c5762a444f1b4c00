-- Which of two answers people prefer: the sign of the difference of their mean scores; the same score is a tie.
-- Parameters: run_id, metrics, aspects, overall. One row per question, pair of systems and human metric.
with said as (
    select
        human_score.question_id,
        human_score.system,
        human_score.annotator,
        human_score.metric,
        human_score.score
    from human_score
    join run on run.run_id = $run_id and run.dataset = human_score.dataset
    semi join mart.answer as answer
        on answer.run_id = $run_id and answer.question_id = human_score.question_id
        and answer.system = human_score.system
    where human_score.target = 'answer' and human_score.score is not null
),

aspects as (from said where list_contains($aspects, metric)),

-- A person's mean over aspects, of the answers that the person scored on every one of them.
overall as (
    select question_id, system, annotator, $overall as metric, avg(score) as score
    from aspects
    group by question_id, system, annotator
    having count(*) > 1 and count(*) = (select count(distinct metric) from aspects)
),

people as (
    select question_id, system, metric, avg(score) as score
    from (
        from said where metric <> $overall or not exists (from overall)
        union all by name
        from overall
    )
    where list_contains($metrics, metric)
    group by question_id, system, metric
)

insert into mart.preference by name
select
    $run_id as run_id,
    first.question_id,
    first.system as system_a,
    second.system as system_b,
    'human' as preferred_by,
    first.metric as who,
    case
        when abs(first.score - second.score) <= 1e-9 then 'tie'
        when first.score > second.score then 'win'
        else 'loss'
    end as outcome,
    first.score - second.score as difference
from people as first
join people as second
    on second.question_id = first.question_id and second.metric = first.metric and first.system < second.system
order by question_id, who, system_a, system_b;
