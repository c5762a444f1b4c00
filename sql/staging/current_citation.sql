-- The citations of the current run's claims, and the fetch in which each one's source is read: the one that the run has
-- pinned, or the text that the answer itself carries. What a claim cites by two names, a PMID and a DOI say, is one
-- citation, once both are found to be one record: by its PMID, where that is one of them.
-- One row per distinct answer, claim and citation.
create or replace view current_citation as
with answers as (select distinct answer_key from current_answer),

own as (from run_own_text where run_id = getvariable('run_id')),

pinned_source as (from run_source where run_id = getvariable('run_id')),

cited as (
    select citation.*, coalesce(own.fetch_no, pinned_source.fetch_no) as fetch_no
    from answers
    join citation using (answer_key)
    left join own using (answer_key, source_id)
    left join pinned_source using (source_id)
    where citation.fingerprint = pinned('decompose')
),

-- Records that the run holds under several names. A title alone, "Editorial" say, makes no two records one.
renamed as (
    select source_id, fetch_no, digest
    from current_source
    where digest is not null
    qualify count(*) over (partition by digest) > 1
),

same_record as (
    from renamed
    semi join (from passage where label is distinct from 'TITLE') as worded using (source_id, fetch_no)
),

named_twice as (
    select
        answer_key,
        claim_position,
        list(ordinal) as ordinals,
        arg_min(ordinal, (source_id not like 'pmid:%', ordinal)) as kept,
        string_agg(marker, '; ' order by ordinal) as markers
    from cited
    join same_record using (source_id, fetch_no)
    group by answer_key, claim_position, digest
    having count(*) > 1
)

select cited.* replace (coalesce(named_twice.markers, cited.marker) as marker)
from cited
left join named_twice
    on
        named_twice.answer_key = cited.answer_key
        and named_twice.claim_position = cited.claim_position
        and list_contains(named_twice.ordinals, cited.ordinal)
where named_twice.kept is null or cited.ordinal = named_twice.kept;
