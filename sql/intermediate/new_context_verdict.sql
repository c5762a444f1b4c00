-- What each context of an answer says of each of its claims and of each nugget, as sources of citations are read: the more
-- contexts one looks at, the more one finds by chance, so that each is judged with the reader's caution.
-- One row per answer, context, and claim or nugget.
create or replace view context_reading as
with cut as (
    select
        (settings ->> 'supports_at')::double as supports_at,
        (settings ->> 'contradicts_at')::double as contradicts_at,
        coalesce(
            (
                select (spec -> 'reading' ->> 'caution')::double
                from fingerprint
                where fingerprint = pinned('entail')
            ), 0
        ) as caution
    from current_run
),

weighed as (
    select
        pair.*,
        score.entailment,
        score.neutral,
        score.contradiction,
        pow(count(*) over (partition by question_id, system, kind, item_id), -cut.caution) as factor,
        cut.supports_at,
        cut.contradicts_at
    from context_pair as pair
    cross join cut
    left join pair_score as score
        on
            score.premise_key = pair.premise_key
            and score.hypothesis_key = pair.hypothesis_key
            and score.fingerprint = pinned('entail')
            and isfinite(score.entailment + score.neutral + score.contradiction)
),

lowered as (
    select
        * replace (
            entailment * factor / (entailment * factor + neutral + contradiction * factor) as entailment,
            neutral / (entailment * factor + neutral + contradiction * factor) as neutral,
            contradiction * factor / (entailment * factor + neutral + contradiction * factor) as contradiction
        )
    from weighed
)

select
    * exclude (factor, supports_at, contradicts_at),
    says(entailment, neutral, contradiction, supports_at, contradicts_at) as says
from lowered;

-- mart.context_verdict for the current run: what all contexts of an answer together say, where one that supports comes
-- before one that contradicts, and whose fault it is where something is missing: retrieval's or generation's.
-- One row per question, system, and claim or nugget.
create or replace view new_context_verdict as
with read_together as (
    select
        question_id,
        system,
        kind,
        item_id,
        case
            when bool_or(says = 'supports') then 'supports'
            when bool_or(says is null) then null
            when bool_or(says = 'contradicts') then 'contradicts'
            else 'neutral'
        end as state,
        max(entailment) as entailment,
        max(contradiction) as contradiction,
        arg_max(context_position, entailment) as most_entailing,
        arg_max(context_position, contradiction) as most_opposing
    from context_reading
    group by question_id, system, kind, item_id
)

select
    getvariable('run_id') as run_id,
    verdict.question_id,
    verdict.system,
    verdict.kind,
    verdict.item_id,
    verdict.state,
    case verdict.state when 'supports' then most_entailing when 'contradicts' then most_opposing end + 1 as context_no,
    verdict.entailment,
    verdict.contradiction,
    case
        when verdict.state is null then null
        when verdict.kind = 'claim' then if(verdict.state = 'neutral', 'from nowhere', null)
        when nugget.state = 'covered' then null
        when verdict.state <> 'supports' then 'no context holds it'
        when nugget.state = 'contradicted' then 'a context holds it, the answer contradicts it'
        else 'a context holds it, the answer does not say it'
    end as fault,
    if(verdict.state is null, 'a context could not be read against it; see outcomes', null) as reason
from read_together as verdict
left join mart.nugget_state as nugget
    on
        nugget.run_id = getvariable('run_id')
        and nugget.question_id = verdict.question_id
        and nugget.system = verdict.system
        and nugget.nugget_id = verdict.item_id
        and verdict.kind = 'nugget';

-- mart.context for the current run: the contexts, and how many nuggets and claims each holds.
-- One row per question, system and context.
create or replace view new_context as
with held as (
    select
        question_id,
        system,
        context_position,
        count(*) filter (kind = 'nugget' and says = 'supports') as n_nuggets_held,
        count(*) filter (kind = 'nugget' and says is null) as n_nuggets_unread,
        count(*) filter (kind = 'claim' and says = 'supports') as n_claims_supported,
        count(*) filter (kind = 'claim' and says is null) as n_claims_unread
    from context_reading
    group by question_id, system, context_position
)

select
    answer.run_id,
    answer.question_id,
    answer.system,
    context.position,
    context.text_key,
    -- One that holds a nugget is of use, whatever could not be read beside it.
    if(n_nuggets_unread > 0 and n_nuggets_held = 0, null, coalesce(n_nuggets_held, 0)) as n_nuggets_held,
    if(n_claims_unread > 0, null, coalesce(n_claims_supported, 0)) as n_claims_supported
from run_answer as answer
join context using (context_set_key)
left join held
    on
        held.question_id = answer.question_id
        and held.system = answer.system
        and held.context_position = context.position
where answer.run_id = getvariable('run_id');
