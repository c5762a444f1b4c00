-- Claims beside the sources they cite whose text is at hand, named by what they say.
-- One row per answer, claim and cited source.
create or replace view cited_evidence as
with passages as (
    select
        answer_key,
        claim_position,
        hypothesis_key,
        source_id,
        fetch_no,
        list(distinct {'position': passage_position, 'key': premise_key}) as named
    from citation_pair
    group by answer_key, claim_position, hypothesis_key, source_id, fetch_no
),

ordered as (
    select * replace (list_transform(list_sort(named), lambda p: p.key) as named) from passages
)

select
    *,
    md5(
        hypothesis_key || string_agg(source_id || array_to_string(named, ','), ';' order by source_id)
            over (partition by answer_key, claim_position rows between unbounded preceding and unbounded following)
    ) as evidence_key,
    count(*) over (partition by answer_key, claim_position) as n_sources
from ordered;

-- Those whose sources were read one by one; what failed there is waited for. `states`: what each source says by itself.
-- One row per distinct claim text and evidence.
create or replace view joint_items as
with said as (
    select distinct
        cited.evidence_key,
        cited.hypothesis_key,
        cited.source_id,
        verdict.state,
        verdict.entailment is null and (verdict.abstained_because is null or verdict.failed_because is not null) as unread
    from cited_evidence as cited
    left join source_verdict as verdict using (hypothesis_key, source_id, fetch_no)
)

select
    evidence_key as item_key,
    hypothesis_key,
    md5(string_agg(source_id || coalesce(state, ''), ';' order by source_id)) as states
from said
group by evidence_key, hypothesis_key
having not bool_or(unread);

-- Those that were not read as a whole and in parts yet, with what each source says by itself.
-- One row per distinct claim text and evidence.
create or replace view joint_pending as
with waiting as (
    from joint_items
    anti join (
        select evidence_key as item_key, states from joint_claim where fingerprint = pinned('joint')
    ) using (item_key, states)
    anti join (from set_aside where stage = 'joint' and fingerprint = pinned('joint')) using (item_key)
),

evidence as (
    select distinct waiting.item_key, waiting.hypothesis_key, waiting.states, cited.source_id, cited.named, verdict.state
    from waiting
    join cited_evidence as cited on cited.evidence_key = waiting.item_key
    left join source_verdict as verdict
        on
            verdict.hypothesis_key = cited.hypothesis_key
            and verdict.source_id = cited.source_id
            and verdict.fetch_no = cited.fetch_no
)

select
    evidence.item_key,
    evidence.hypothesis_key,
    evidence.states,
    any_value(claim.text) as claim,
    list(
        {'source_id': source_id, 'passage_keys': named, 'state': state} order by source_id
    ) as sources
from evidence
join text as claim on claim.text_key = evidence.hypothesis_key
group by evidence.item_key, evidence.hypothesis_key, evidence.states
order by evidence.item_key;
