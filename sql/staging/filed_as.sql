-- What PubMed's files say now of articles by name (a list of source ids): of each version the last of the highest
-- revision counts, and of the versions that are not withdrawn the highest.
-- One row per name and article that bears it, or bore it; `record` is NULL where PubMed has withdrawn the article.
create or replace macro filed_as(names) as table
with wanted as (select distinct unnest(names::varchar[]) as name),

named as (
    select wanted.name, change.source_id
    from wanted
    join pubmed_change as change on change.source_id = wanted.name
    union
    select wanted.name, change.source_id
    from wanted
    join pubmed_change as change on change.doi = wanted.name
    union
    select wanted.name, change.source_id
    from wanted
    join pubmed_change as change on change.pmcid = wanted.name
    union
    select wanted.name, other.source_id
    from wanted
    join (select source_id, unnest(other_names) as name from pubmed_change) as other on other.name = wanted.name
),

last_words as (
    from pubmed_change semi join named using (source_id)
    qualify row_number() over (
        partition by source_id, version order by revision desc, file_no desc, position desc
    ) = 1
),

counted as (
    from last_words
    qualify row_number() over (partition by source_id order by record is null, version desc) = 1
)

select
    named.name,
    named.source_id,
    named.name in (counted.source_id, counted.doi, counted.pmcid) or list_contains(counted.other_names, named.name)
        as is_its_name,
    counted.record::varchar as record,
    counted.warned,
    file.name as file,
    file.file_digest,
    file.added_at
from named
join counted using (source_id)
join pubmed_file as file using (file_no);
