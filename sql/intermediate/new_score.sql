-- mart.score for the current run: every metric of medassay/metrics as numerator, denominator, value and, where there is
-- none, the reason. A zero denominator or a failure of ours gives NULL; silence gives 0 where there was something to say.
-- One row per question, system, profile and metric.
create or replace view new_score as
with stages as (
    select
        question_id,
        system,
        any_value(state) filter (part = 'nuggets') as making,
        any_value(state) filter (part = 'claims') as decomposing,
        any_value(state) filter (part = 'matching') as matching,
        any_value(state) filter (part = 'labels') as labelling,
        any_value(state) filter (part = 'passages') as searching,
        any_value(state) filter (part = 'citations') as citing,
        any_value(state) filter (part = 'joint') as reading_jointly
    from answer_undone
    group by question_id, system
),

counts as (
    select
        answer_counts.* replace (
            case when match_failed then null else coalesce(n_nuggets, 0) end as n_nuggets,
            coalesce(n_citations, 0) as n_citations,
            coalesce(n_verified, 0) as n_verified,
            coalesce(n_supports, 0) as n_supports,
            coalesce(n_cited_contradicts, 0) as n_cited_contradicts,
            coalesce(n_not_found, 0) as n_not_found,
            coalesce(n_untraceable, 0) as n_untraceable,
            coalesce(n_unverifiable, 0) as n_unverifiable,
            coalesce(n_claims, 0) as n_claims,
            coalesce(n_needing, 0) as n_needing,
            coalesce(n_supported, 0) as n_supported,
            coalesce(n_supported_at_best, 0) as n_supported_at_best,
            coalesce(n_traceable, 0) as n_traceable,
            coalesce(n_sentences, 0) as n_sentences,
            coalesce(n_labelled, 0) as n_labelled,
            coalesce(n_required, 0) as n_required,
            coalesce(n_searched, 0) as n_searched,
            coalesce(n_backed, 0) as n_backed
        ),
        case
            when match_failed and decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when match_failed then undone('the answer could not be matched; see outcomes', matching)
            when making is not null then undone(no_reference_nuggets, making)
            else not_applicable(no_reference_nuggets)
        end as no_nuggets,
        case
            when answer_state = 'failed' then undone('the system could not be asked', 'failed')
            when answer_state = 'not_answered' then not_applicable('the system gave no answer')
            when answer_state = 'empty' then not_applicable('the answer is empty')
            when decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when answer_state = 'refused' then not_applicable('the system refused to answer')
            else not_applicable('the answer makes no claim')
        end as no_claims,
        case
            when decomposing is not null
                then undone('the answer could not be taken apart; see outcomes', decomposing)
            when answer_state <> 'answered' then no_claims
            when coalesce(n_citations, 0) = 0 then not_applicable('no claim of the answer cites anything')
            when citing = 'failed' then undone('no citation could be checked, through a failure; see outcomes', citing)
            when citing is not null
                then undone('no citation could be checked, since the model abstained; see outcomes', citing)
            else not_applicable('no citation could be checked')
        end as no_citations,
        -- Open: a citation that could not be checked, and none that supports.
        coalesce(n_supported_at_best - n_supported, 0) as n_open,
        not_applicable('each claim cites a source that could not be checked, and none that supports it') as no_closed,
        sum(coalesce(n_verified + n_not_found, 0)) over (partition by system) = 0 as unchecked_throughout,
        citing,
        labelling,
        searching,
        -- A claim too long for ALCE's window abstains.
        coalesce(citing, reading_jointly, if(n_jointly_unread > 0, 'abstained', 'not_applicable')) as alce,
        case
            when n_unverifiable = n_citations then 'no citation could be checked'
            when n_unverifiable > 0 and n_jointly_unread = 0 and reading_jointly is null
                then 'each claim cites a source that could not be checked'
            when reading_jointly is null then 'no claim''s citations could be read together in one window'
            else 'no claim''s citations could be read together; see outcomes'
        end as no_joint_reading
    from answer_counts
    left join stages using (question_id, system)
),

-- Why the bioace profile has no sentence labels, or no passages retrieved for the sentences; NULL where it has.
bioace_missing as (
    select
        case
            when
                not exists (
                    from fingerprint where fingerprint = pinned('label') and (spec ->> 'llm') <> 'none'
                )
                then 'needs sentence labels by a language model: name one with --llm <base_url>#<model>'
            when current_run.profile <> 'bioace' and not exists (from counts where n_labelled > 0)
                then 'needs sentence labels, which are asked for with --profile bioace'
        end as labels_reason,
        case
            when not exists (from current_corpus)
                then 'needs documents to retrieve from, and none came with the data'
            when coalesce(current_run.settings ->> 'reader', 'embedded') = 'none'
                then 'needs an entailment model, and none was asked for (--reader none)'
            when current_run.profile <> 'bioace' and not exists (from counts where n_searched > 0)
                then 'needs passages for every sentence, which are retrieved with --profile bioace'
        end as passages_reason
    from current_run
),

ingredients as (
    select
        counts.*,
        bioace_missing.*,
        case when n_reference_nuggets > 0 then n_correct end as n_recalled,
        case
            when match_failed or n_reference_nuggets = 0 then null
            else n_correct
        end as n_precise,
        if(n_reference_nuggets = 0 or match_failed, no_nuggets, not_applicable('no nugget is aligned')) as no_aligned,
        if(n_vital = 0, not_applicable('no nugget is vital'), no_nuggets) as no_vital,
        if(n_claims = 0, no_claims, not_applicable('no claim needs a citation')) as no_needing,
        if(n_reference_nuggets = 0 or match_failed, no_nuggets, no_claims) as no_precision
        {%- for view in counts %},
        columns({{ view }}.* exclude (question_id, system))
        {%- endfor %}

    from counts
    cross join bioace_missing
    {% for view in counts %}
    left join {{ view }} using (question_id, system)
    {% endfor %}
),

{% for profile in profiles %}
of_{{ profile }} as (
    select run_id, question_id, system, '{{ profile }}' as profile, unnest([
        {% for metric in metrics if profile in metric.sql %}
        {
            'metric': '{{ metric.name }}',
            'score':
            {{ metric.sql[profile] | trim }}
        }{{ "," if not loop.last }}
        {% endfor %}
    ], recursive := true)
    from ingredients
),

{% endfor %}
scores as (
    {% for profile in profiles %}
    {{ "union all by name " if not loop.first }}from of_{{ profile }}
    {% endfor %}
)

select scores.* replace (
    if(unasked.reason is null, numerator, null) as numerator,
    if(unasked.reason is null, denominator, null) as denominator,
    if(unasked.reason is null, value, null) as value,
    coalesce(
        if(unasked.in_quarantine, 'its row is in quarantine: ', 'the system could not be asked: ') || unasked.reason,
        scores.reason
    ) as reason,
    if(unasked.reason is null, scores.status, 'failed') as status
)
from scores
left join run_unasked as unasked using (run_id, question_id, system);
