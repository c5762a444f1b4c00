-- What the contexts of each answer of the current run hold: its claims, and the nuggets of its question.
-- One row per question and system.
create or replace view context_counts as
with contexts as (
    select
        question_id,
        system,
        count(*) as n_contexts,
        count(*) filter (n_nuggets_held > 0) as n_contexts_of_use,
        count(*) filter (n_nuggets_held is null) as n_contexts_unread
    from mart.context
    where run_id = getvariable('run_id')
    group by question_id, system
),

verdicts as (
    select
        question_id,
        system,
        count(*) filter (kind = 'claim') as n_claims_read,
        count(*) filter (kind = 'claim' and state = 'supports') as n_claims_held,
        count(*) filter (kind = 'claim' and state = 'contradicts') as n_claims_opposed,
        count(*) filter (kind = 'claim' and state is null) as n_claims_unread,
        count(*) filter (kind = 'nugget') as n_nuggets_read,
        count(*) filter (kind = 'nugget' and state = 'supports') as n_nuggets_retrieved,
        count(*) filter (kind = 'nugget' and state is null) as n_nuggets_unread
    from mart.context_verdict
    where run_id = getvariable('run_id')
    group by question_id, system
),

reader as (
    select coalesce(settings ->> 'reader', 'embedded') = 'none' as is_none from current_run
),

failures as (
    select if(bool_or(state = 'failed'), 'failed', 'abstained') as whose
    from outcome
    where run_id = getvariable('run_id') and stage = 'entail'
)

select
    answer.question_id,
    answer.system,
    contexts.n_contexts,
    contexts.n_contexts_of_use,
    verdicts.n_claims_held,
    verdicts.n_claims_opposed,
    verdicts.n_nuggets_retrieved,
    -- NULL where there is nothing to divide by, or where some could not be read.
    if(reader.is_none or verdicts.n_claims_unread > 0, null, verdicts.n_claims_read) as n_claims_against_contexts,
    if(reader.is_none or verdicts.n_nuggets_unread > 0, null, verdicts.n_nuggets_read) as n_nuggets_against_contexts,
    if(
        reader.is_none or contexts.n_contexts_unread > 0 or coalesce(verdicts.n_nuggets_read, 0) = 0,
        null, contexts.n_contexts
    ) as n_contexts_read,
    case
        when contexts.n_contexts is null then not_applicable('no retrieved contexts came with the answer')
        when reader.is_none
            then not_applicable('needs an entailment model, and none was asked for (--reader none)')
        when verdicts.n_claims_unread + verdicts.n_nuggets_unread > 0
            then undone('not every context could be read; see outcomes', failures.whose)
    end as no_contexts
from mart.answer as answer
cross join reader
cross join failures
left join contexts using (question_id, system)
left join verdicts using (question_id, system)
where answer.run_id = getvariable('run_id');
