-- Where a pending source can be had without asking anybody: from the answer itself, from an earlier fetch,
-- or from PubMed's files.
-- One row per pending source and answer that carries its text.
create or replace view fetch_carried as
select distinct on (cited.source_id) cited.source_id, cited.title, cited.url, cited.content
from fetch_pending
join cited_source as cited on cited.source_id = fetch_pending.item_key
join decompose_items on decompose_items.item_key = cited.answer_key
where cited.fingerprint = pinned('decompose') and trim(cited.content) <> ''
order by cited.source_id, length(cited.content) desc, cited.answer_key;

-- One row per pending source that PubMed's files know, by whichever of its names it is cited.
create or replace view fetch_filed as
with names as (
    select source_id as name, warned from pubmed_change
    union all
    select doi, warned from pubmed_change where doi is not null
    union all
    select pmcid, warned from pubmed_change where pmcid is not null
)

select names.name as source_id, bool_or(names.warned) as warned
from fetch_pending
join names on names.name = fetch_pending.item_key
group by names.name;

-- One row per pending source that was fetched before; the newest fetch. The files are read afresh for what came
-- from them, since a later one may have changed it, and where they warn of what was fetched without a warning.
create or replace view fetch_cached as
with newest as (
    select source.*
    from fetch_pending
    join source on source.source_id = fetch_pending.item_key
    where source.origin not in ('document', 'answer')
    qualify row_number() over (partition by source.source_id order by source.fetch_no desc) = 1
)

select newest.source_id, newest.fetch_no
from newest
left join fetch_filed as filed using (source_id)
where
    filed.source_id is null
    or newest.origin <> 'pubmed files' and not (filed.warned and 'yes' not in (newest.retracted, newest.concern));

-- One row per pending source that the world was asked for before, and answered without it. Another PubMed is
-- asked itself, unless nobody may be.
create or replace view fetch_known_missing as
with asking as (
    select
        coalesce((current_run.settings ->> 'retry')::boolean, false) as again,
        (fingerprint.spec ->> 'pubmed') is null as of_nobody,
        fingerprint.fingerprint
    from current_run
    join fingerprint on fingerprint.fingerprint = pinned('fetch')
)

select missing.source_id, missing.reason
from fetch_pending
join missing_source as missing on missing.source_id = fetch_pending.item_key
cross join asking
where
    asking.of_nobody
    or not asking.again and (missing.fingerprint is null or missing.fingerprint = asking.fingerprint);
