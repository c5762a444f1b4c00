-- mart.citation for the current run: each citation's state and the passage that decided it.
-- One row per question, system, claim and citation.
create or replace view new_citation as
with scores as (from pair_score where fingerprint = pinned('entail')),

abstained as (from set_aside where stage = 'entail' and fingerprint = pinned('entail')),

unanswered as (
    select item_key as source_id, reason from outcome
    where stage = 'fetch' and run_id = getvariable('run_id')
),

cut as (
    select
        (settings ->> 'supports_at')::double as supports_at,
        (settings ->> 'contradicts_at')::double as contradicts_at,
        (select spec ->> 'reason' from fingerprint where fingerprint = pinned('entail')) as no_model
    from current_run
),

read_passages as (
    select
        pair.answer_key,
        pair.claim_position,
        pair.ordinal,
        pair.passage_label,
        pair.premise_key,
        scores.entailment,
        scores.neutral,
        scores.contradiction,
        scores.sentence_start,
        scores.sentence_end,
        scores.n_windows,
        scores.coverage,
        abstained.reason as abstained_because
    from citation_pair as pair
    left join scores using (premise_key, hypothesis_key)
    left join abstained on abstained.item_key = pair.premise_key || pair.hypothesis_key
),

verdicts as (
    select
        answer_key,
        claim_position,
        ordinal,
        max(entailment) as entailment,
        max(contradiction) as contradiction,
        sum(n_windows)::bigint as n_windows,
        avg(coverage) as coverage,
        any_value(abstained_because) as abstained_because,
        -- The passage that speaks most clearly, whichever way.
        arg_max(
            {
                'premise_key': premise_key, 'label': passage_label, 'neutral': neutral,
                'sentence_start': sentence_start, 'sentence_end': sentence_end
            },
            greatest(entailment, contradiction)
        ) as deciding
    from read_passages
    group by answer_key, claim_position, ordinal
),

judged as (
    select
        asked.run_id,
        asked.question_id,
        asked.system,
        citation.*,
        source.title,
        source.url,
        coalesce(source.retracted, 'unchecked') as retracted,
        coalesce(source.concern, 'unchecked') as concern,
        coalesce(source.erratum, 'unchecked') as erratum,
        verdicts.entailment,
        verdicts.contradiction,
        verdicts.n_windows,
        verdicts.coverage,
        verdicts.deciding,
        case
            when verdicts.entailment is not null and source.full_text then 'full_text'
            when verdicts.entailment is not null then 'abstract'
        end as text_kind,
        case
            when citation.source_id is null then 'untraceable'
            when source.state = 'not_found' then 'not_found'
            when source.state is null or source.state = 'unverifiable' then 'unverifiable'
            when verdicts.entailment is null then 'unverifiable'
            when
                verdicts.contradiction >= cut.contradicts_at and verdicts.contradiction > verdicts.entailment
                then 'contradicts'
            when verdicts.entailment >= cut.supports_at then 'supports'
            else 'neutral'
        end as state,
        case
            when citation.source_id is null then 'the marker has no entry in any reference list'
            when source.state is null then coalesce(unanswered.reason, 'the source was not looked up')
            when source.state <> 'found' then source.reason
            when verdicts.answer_key is null then 'the source exists, but no text of it is at hand'
            when verdicts.entailment is null
                then coalesce(
                    verdicts.abstained_because, cut.no_model, 'the entailment model gave no verdict'
                )
        end as reason
    from asked
    cross join cut
    join current_citation as citation using (answer_key)
    join current_claim as claim
        on claim.answer_key = citation.answer_key and claim.position = citation.claim_position
    left join current_source as source using (source_id)
    left join unanswered using (source_id)
    left join verdicts
        on
            verdicts.answer_key = citation.answer_key
            and verdicts.claim_position = citation.claim_position
            and verdicts.ordinal = citation.ordinal
    where claim.kind = 'claim'
)

select
    run_id,
    question_id,
    system,
    'c' || (claim_position + 1) as claim_id,
    ordinal,
    marker as citation,
    source_id,
    state,
    entailment,
    deciding.neutral as neutral,
    contradiction,
    deciding.premise_key as passage_key,
    deciding.label as passage_label,
    deciding.sentence_start as sentence_start,
    deciding.sentence_end as sentence_end,
    n_windows,
    coverage,
    text_kind,
    title,
    url,
    retracted,
    concern,
    erratum,
    reason
from judged;
