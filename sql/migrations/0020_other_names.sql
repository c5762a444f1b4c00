-- What a record is called besides its first DOI and PMCID, NULL where nothing: an article may bear more than one DOI.
alter table pubmed_change add column other_names varchar[];

update pubmed_change
set other_names = list_filter(
    (record ->> '$.identifiers[*]')::varchar[],
    lambda name: name not in (source_id, coalesce(doi, ''), coalesce(pmcid, ''))
)
-- Only records with two of a kind are taken apart: a baseline has tens of millions.
where record::varchar like '%"doi:%"doi:%' or record::varchar like '%"pmcid:%"pmcid:%';
