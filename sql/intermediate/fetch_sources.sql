-- Where a pending source can be had without asking anybody: from the answer itself, from an earlier fetch,
-- or from PubMed's files.
-- One row per pending source and text of it that answers carry, with those answers.
create or replace view fetch_carried as
select cited.source_id, cited.title, cited.url, cited.content, list(cited.answer_key) as answer_keys
from fetch_pending
join cited_source as cited on cited.source_id = fetch_pending.item_key
join decompose_items on decompose_items.item_key = cited.answer_key
where cited.fingerprint = pinned('decompose') and trim(cited.content) <> ''
group by cited.source_id, cited.title, cited.url, cited.content;

-- One row per pending source that some answer cites without a text of its own that is read.
create or replace view fetch_unread as
select distinct fetch_pending.item_key as source_id
from fetch_pending
join current_citation as citation on citation.source_id = fetch_pending.item_key
where citation.fetch_no is null;

-- One row per pending source that is a document of the data which broke a rule: it is there, and cannot be read.
create or replace view fetch_quarantined as
select distinct on (fetch_pending.item_key)
    fetch_pending.item_key as source_id,
    concat_ws(':', rejected.file, rejected.line) as place,
    rejected.rule
from fetch_pending
join rejected_row as rejected on 'document:' || rejected.row_key = fetch_pending.item_key
where rejected.run_id = getvariable('run_id') and rejected.table_name = 'document'
order by fetch_pending.item_key, rejected.file, rejected.line;

-- One row per pending source that PubMed's files know, by whichever of its names it is cited.
create or replace view fetch_filed as
select
    name as source_id,
    coalesce(bool_or(is_its_name and json_array_length(record -> 'sections') > 0), false) as has_text,
    coalesce(bool_or(is_its_name and warned), false) as warned,
    coalesce(bool_or(is_its_name and (record ->> 'retracted') = 'yes'), false) as retracted,
    coalesce(bool_or(is_its_name and (record ->> 'erratum') = 'yes'), false) as erratum,
    coalesce(bool_or(is_its_name and contains(record::varchar, '"doi:')), false) as has_doi,
    bool_and(record is null) as withdrawn,
    max(added_at) as added_at
from filed_as((select list(item_key) from fetch_pending))
group by name;

-- One row per pending source of which PubMed has no abstract, and of which Crossref, which may be asked, was not asked
-- for one; `is_filed`: it is PubMed's files that have none.
create or replace view fetch_abstract as
with bare as (
    select source_id, true as is_filed from fetch_filed where has_doi and not has_text
    union all
    select newest.source_id, false as is_filed
    from fetch_pending
    join newest_source as newest on newest.source_id = fetch_pending.item_key
    where
        newest.origin in ('pubmed', 'pmc')
        and json_array_length(newest.record -> 'sections') = 0
        and contains(newest.record::varchar, '"doi:')
)

from bare
anti join textless_source using (source_id)
where exists (from fingerprint where fingerprint = pinned('fetch') and (spec ->> 'crossref') is not null);

-- One row per pending source that was fetched before, and neither denied since nor known by the DOI of an article that
-- is; the newest fetch. `is_open`: something of it is still to be learnt, since it was read by an older reading, its full
-- text could not be had, its standing was not checked, or Crossref may have an abstract of what PubMed has none of.
-- The files are read afresh for what came from them, since a later one may have changed it, and where they know of
-- a notice that the fetch does not. A file bears no date to hold against a fetch's: one that was added later is
-- believed when it withdraws an article, and none takes a notice back or sets an older text over a newer.
create or replace view fetch_cached as
with newest as (
    select
        newest_source.*,
        exists (
            from passage
            where passage.source_id = newest_source.source_id and passage.fetch_no = newest_source.fetch_no
        ) as has_text
    from fetch_pending
    join newest_source on newest_source.source_id = fetch_pending.item_key
    anti join denied_source using (source_id)
    anti join vanished_source using (source_id)
),

reading as (
    select (spec ->> 'stage_version')::integer as reading, (spec ->> 'pubmed') is not null as asks_pubmed
    from fingerprint where fingerprint = pinned('fetch')
)

select
    newest.source_id,
    newest.fetch_no,
    newest.record::varchar as record,
    newest.has_text,
    fetched_bare.source_id is not null
    or newest.origin in ('pubmed', 'pmc', 'crossref', 'pubmed and crossref')
    and (
        coalesce(newest.reading, 0) < reading.reading
        or newest.source_id like 'pmcid:%' and newest.origin = 'pubmed'
        or newest.origin = 'crossref' and newest.retracted = 'unchecked'
        or newest.origin = 'crossref' and not newest.has_text and reading.asks_pubmed and textless.source_id is null
        or newest.origin = 'pmc' and newest.retracted = 'unchecked'
        and len(list_filter((newest.record ->> '$.identifiers[*]')::varchar[], lambda name: name like 'pmid:%')) > 0
    ) as is_open
from newest
left join reading on true
left join textless_source as textless using (source_id)
left join fetch_filed as filed using (source_id)
left join (from fetch_abstract where not is_filed) as fetched_bare using (source_id)
where
    filed.source_id is null
    or newest.origin <> 'pubmed files' and not (
        filed.withdrawn and filed.added_at > newest.told_at
        or not newest.has_text and filed.has_text
        or 'yes' not in (newest.retracted, newest.concern) and filed.warned
        or newest.retracted <> 'yes' and filed.retracted
        or filed.erratum and newest.erratum <> 'yes'
        and (filed.warned or 'yes' not in (newest.retracted, newest.concern))
    );

-- One row per pending source of which the world last said that it has no such record.
-- Another PubMed is asked itself, unless nobody may be.
create or replace view fetch_known_missing as
with asking as (
    select
        coalesce((current_run.settings ->> 'retry')::boolean, false) as again,
        (fingerprint.spec ->> 'pubmed') is null as of_nobody,
        fingerprint.spec
    from current_run
    join fingerprint on fingerprint.fingerprint = pinned('fetch')
)

select denied.source_id, denied.reason
from fetch_pending
join denied_source as denied on denied.source_id = fetch_pending.item_key
cross join asking
left join fingerprint as asked on asked.fingerprint = denied.fingerprint
where
    asking.of_nobody and (denied.source_id not like 'doi:%' or (asking.spec ->> 'crossref') is null)
    or not asking.again and (
        denied.fingerprint is null
        or (asked.spec ->> 'pubmed') is not distinct from (asking.spec ->> 'pubmed')
        and (asked.spec ->> 'crossref') is not distinct from (asking.spec ->> 'crossref')
        and (
            denied.source_id not like 'pmcid:%'
            or (asked.spec ->> 'converter') is not distinct from (asking.spec ->> 'converter')
        )
    );
