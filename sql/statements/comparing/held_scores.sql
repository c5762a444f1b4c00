-- Return the scores of two runs side by side, a row a question, system and metric that changed by more than
-- arithmetic, and one row a reason (same, first, second) that counts what did not change, or one run has alone.
with score as (
    select run_id = $a as is_first, question_id, system, metric, value, reason
    from mart.score
    where ((run_id = $a and profile in ('any', $profile_a)) or (run_id = $b and profile in ('any', $profile_b)))
        and (len($metrics) = 0 or list_contains($metrics, metric))
        and (len($systems) = 0 or list_contains($systems, system))
),

held as (
    select
        question_id,
        system,
        metric,
        first.value as before,
        first.reason as reason_before,
        second.value as after,
        second.reason as reason_after,
        case
            when second.is_first is null then 'first'
            when first.is_first is null then 'second'
            when first.value is null and second.value is null then 'same'
            when abs(first.value - second.value) <= 1e-12 then 'same'
            else 'changed'
        end as what
    from (from score where is_first) as first
    full join (from score where not is_first) as second using (question_id, system, metric)
)

select *, 1 as n from held where what = 'changed'
union all by name
select what, count(*) as n from held where what <> 'changed' group by what
order by question_id nulls first, system, metric
