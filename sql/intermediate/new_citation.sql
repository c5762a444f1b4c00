-- mart.citation for the current run: each citation's state, the passage that decided it, and one that says the opposite.
-- One row per question, system, claim and citation.
create or replace view new_citation as
with unanswered as (
    select item_key as source_id, reason from outcome
    where stage = 'fetch' and run_id = getvariable('run_id')
),

no_model as (
    select spec ->> 'reason' as reason from fingerprint where fingerprint = pinned('entail')
),

joint as (
    select distinct evidence.answer_key, evidence.claim_position, evidence.n_sources, reading.*
    from cited_evidence as evidence
    join joint_reading as reading
        on reading.evidence_key = evidence.evidence_key and reading.fingerprint = pinned('joint')
),

-- What is entailed of a claim that is not entailed whole. A model takes what a source leaves unsaid of a claim for
-- the contrary now and then; a part that was not read might be the one that is contradicted, and where every part is
-- entailed nothing was left unsaid.
parts as (
    select
        answer_key,
        claim_position,
        source_id,
        bool_or(entails) as in_part,
        bool_or(entails) and not bool_or(contradicts) as partial,
        bool_or(entails) and bool_or(not entails) and not bool_or(coalesce(contradicts, true)) as surely_partial
    from joint
    where role = 'part'
    group by answer_key, claim_position, source_id
),

-- Sources without which the others do not entail the claim that all entail together: one that also entails a part of it
-- contradicts nothing.
needed as (
    select answer_key, claim_position, source_id
    from joint as without_it
    semi join (from joint where role = 'all' and entails) as whole using (answer_key, claim_position)
    where without_it.role = 'without' and not without_it.entails
),

verdicts as materialized (from source_verdict),

-- Keys and states; what a source is called and what it said is joined at the end, so that these rows stay narrow.
judged as (
    select
        asked.run_id,
        asked.question_id,
        asked.system,
        citation.answer_key,
        citation.claim_position,
        citation.ordinal,
        citation.marker,
        citation.source_id,
        citation.fetch_no,
        claim.text_key as hypothesis_key,
        verdicts.entailment,
        verdicts.state = 'contradicts' and verdicts.opposing is null and parts.surely_partial
            as contradicted_by_no_part,
        verdicts.state = 'contradicts' and verdicts.opposing is null and parts.in_part and needed.source_id is not null
            as carries_its_part,
        case
            when verdicts.entailment is null then null
            when source.origin in ('document', 'answer') then 'document'
            when source.full_text then 'full_text'
            when verdicts.title_only then 'title'
            else 'abstract'
        end as text_kind,
        case
            when citation.source_id is null then 'untraceable'
            when source.state = 'not_found' then 'not_found'
            when source.state is null or source.state = 'unverifiable' then 'unverifiable'
            when verdicts.entailment is null then 'unverifiable'
            when verdicts.state = 'neutral' and parts.partial then 'partial'
            when contradicted_by_no_part or carries_its_part then 'partial'
            else verdicts.state
        end as state,
        case
            when
                citation.source_id is null
                and regexp_matches(citation.marker, 'https?://|www\.|[a-z0-9]\.[a-z]{2,6}/', 'i')
                then 'the address leads to no record: it is a placeholder, or a page of a search or a chat'
            when
                citation.source_id is null
                and regexp_matches(
                    citation.marker, '^(PM ?IDs?|PMC|PubMed|NCT|ISRCTN|DRKS|UMIN|NBK|ACTRN|CTRI|arXiv|doi|10\.\d{4})\b.*\d|^(PMC|NCT)[A-Za-z]?\d', 'i'
                )
                then 'the identifier is cut off or mistyped, and cannot be read whole'
            when citation.source_id is null and regexp_matches(citation.marker, '[A-Za-z].*((19|20)\d\d|n\.d\.)')
                then 'no entry of a reference list fits the marker, or more than one does'
            when citation.source_id is null
                then 'no entry of a reference list that names a source stands behind the marker'
            when source.state is null then coalesce(unanswered.reason, 'the source was not looked up')
            when source.state <> 'found' then source.reason
            when verdicts.source_id is null then 'the source exists, but no text of it is at hand'
            when verdicts.entailment is null
                then coalesce(
                    verdicts.abstained_because, verdicts.failed_because, no_model.reason, 'the entailment model gave no verdict'
                )
            when contradicted_by_no_part
                then 'read whole the claim seems contradicted, but none of its parts is, and some are entailed'
            when carries_its_part
                then 'by itself it seems to contradict the claim, but it entails a part of it'
            else verdicts.deciding.remark
        end as reason
    from asked
    left join no_model on true
    join current_citation as citation using (answer_key)
    join current_claim as claim
        on claim.answer_key = citation.answer_key and claim.position = citation.claim_position
    left join current_source as source
        on source.source_id = citation.source_id and source.fetch_no is not distinct from citation.fetch_no
    left join unanswered on unanswered.source_id = citation.source_id
    left join verdicts
        on
            verdicts.source_id = citation.source_id
            and verdicts.fetch_no = citation.fetch_no
            and verdicts.hypothesis_key = claim.text_key
    left join parts
        on
            parts.answer_key = citation.answer_key
            and parts.claim_position = citation.claim_position
            and parts.source_id = citation.source_id
    left join needed
        on
            needed.answer_key = citation.answer_key
            and needed.claim_position = citation.claim_position
            and needed.source_id = citation.source_id
    where claim.kind = 'claim'
),

-- Of each claim: whether a cited source could not be read, and what the readable ones say together.
together as (
    select
        judged.answer_key,
        judged.claim_position,
        bool_or(judged.state = 'unverifiable') as unread,
        count(distinct judged.source_id) filter (judged.state <> 'unverifiable' and judged.entailment is not null)
            as n_read,
        bool_or(judged.state = 'supports') as alone
    from judged
    group by judged.answer_key, judged.claim_position
),

-- ALCE's irrelevant-citation test (Gao et al. 2023, section 3.2): a citation counts when the set entails the claim,
-- and it does so alone or the set without it does not.
tested as (
    select
        judged.*,
        case
            when together.n_read > 1 then whole.entails
            when together.n_read = 0 and together.unread then null
            else together.alone
        end as set_entails,
        case
            when judged.state in ('not_found', 'untraceable') then false
            when judged.state = 'unverifiable' then null
            when together.n_read > 1 and whole.entails is null then null
            when together.n_read > 1 and whole.entails
                then judged.state = 'supports' or not without_it.entails
            when together.n_read = 1 and together.alone then true
            when together.unread then null
            else false
        end as contributes
    from judged
    join together using (answer_key, claim_position)
    left join joint as whole
        on
            whole.answer_key = judged.answer_key
            and whole.claim_position = judged.claim_position
            and whole.role = 'all'
    left join joint as without_it
        on
            without_it.answer_key = judged.answer_key
            and without_it.claim_position = judged.claim_position
            and without_it.role = 'without'
            and without_it.source_id = judged.source_id
)

select
    tested.run_id,
    tested.question_id,
    tested.system,
    'c' || (tested.claim_position + 1) as claim_id,
    tested.ordinal,
    tested.marker as citation,
    tested.source_id,
    tested.state,
    verdicts.entailment,
    verdicts.deciding.neutral as neutral,
    verdicts.contradiction,
    verdicts.deciding.premise_key as passage_key,
    verdicts.deciding.label as passage_label,
    verdicts.deciding.sentence_start as sentence_start,
    verdicts.deciding.sentence_end as sentence_end,
    verdicts.opposing.premise_key as opposing_passage_key,
    verdicts.opposing.label as opposing_label,
    verdicts.opposing.sentence_start as opposing_start,
    verdicts.opposing.sentence_end as opposing_end,
    verdicts.n_windows,
    verdicts.coverage,
    tested.text_kind,
    source.title,
    source.url,
    source.origin,
    source.fetched_at,
    source.told_at,
    source.digest,
    coalesce(source.retracted, 'unchecked') as retracted,
    coalesce(source.concern, 'unchecked') as concern,
    coalesce(source.erratum, 'unchecked') as erratum,
    tested.set_entails,
    tested.contributes,
    tested.reason
from tested
left join current_source as source
    on source.source_id = tested.source_id and source.fetch_no is not distinct from tested.fetch_no
left join verdicts
    on
        verdicts.source_id = tested.source_id
        and verdicts.fetch_no = tested.fetch_no
        and verdicts.hypothesis_key = tested.hypothesis_key;
