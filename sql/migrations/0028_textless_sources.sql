-- Sources of which neither PubMed has a text, nor Crossref, which was asked for one: nobody is asked again by itself.
create table textless_source (
    source_id varchar primary key,
    asked_at timestamptz not null
);
