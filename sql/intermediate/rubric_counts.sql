-- The judges' marks of each answer of the current run, or why it has none. A panel's mark is the mean of its judges, each
-- the mean of its samples; the quorum is every judge.
-- One row per question and system.
create or replace view rubric_counts as
with by_judge as (
    select
        question_id,
        system,
        judge,
        avg(rubric_score) as rubric_score,
        avg(safety_capped_score) as safety_capped_score,
        avg(medical_correctness) as medical_correctness,
        avg(evidence_sufficiency) as evidence_sufficiency,
        avg(response_alignment) as response_alignment,
        avg(safety) as safety,
        first(reason order by sample_no) filter (status <> 'scored') as reason,
        bool_or(status = 'failed') as failed
    from mart.judgement
    where run_id = getvariable('run_id')
    group by question_id, system, judge
),

judged as (
    select
        question_id,
        system,
        case when count(rubric_score) = count(*) then avg(rubric_score order by judge) end as rubric_score,
        case when count(safety_capped_score) = count(*) then avg(safety_capped_score order by judge) end
            as safety_capped_score,
        case when count(medical_correctness) = count(*) then avg(medical_correctness order by judge) end
            as medical_correctness,
        case when count(evidence_sufficiency) = count(*) then avg(evidence_sufficiency order by judge) end
            as evidence_sufficiency,
        case when count(response_alignment) = count(*) then avg(response_alignment order by judge) end
            as response_alignment,
        case when count(safety) = count(*) then avg(safety order by judge) end as safety,
        case
            when count(*) = 1 then any_value(reason)
            when count(rubric_score) < count(*)
                then
                    format('{} of {} judges marked it, and a panel needs all: ', count(rubric_score), count(*))
                    || string_agg(judge || ': ' || reason, '; ' order by judge)
                        filter (rubric_score is null)
        end as reason,
        if(bool_or(failed) filter (rubric_score is null), 'failed', 'abstained') as status
    from by_judge
    group by question_id, system
),

judge_missing as (
    select
        case
            when count(*) = 0 then 'no judge was configured'
            when max(spec ->> 'judge') = 'none' then max(spec ->> 'reason')
        end as reason
    from fingerprint
    where fingerprint = pinned('judge')
)

select
    answer.question_id,
    answer.system,
    judged.* exclude (question_id, system, reason, status),
    case
        when judge_missing.reason is not null then not_applicable(judge_missing.reason)
        when earlier.question_id is not null
            then not_applicable('an earlier reply of a conversation: the judge marks the last one')
        when answer.state = 'not_answered' then not_applicable('the system gave no answer')
        else undone(judged.reason, judged.status)
    end as no_judgement
from mart.answer as answer
cross join judge_missing
left join judged using (question_id, system)
left join earlier_turn as earlier using (question_id)
where answer.run_id = getvariable('run_id');
