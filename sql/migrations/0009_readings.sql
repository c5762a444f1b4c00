-- Versions of PubMed's citations, and by which reading a source was read.
-- Older files gave each change as of version 1.
alter table pubmed_change add column version integer default 1;

-- NULL before readings were counted: such a file is read anew when it is added again.
alter table pubmed_file add column reading integer;

-- NULL before readings were counted: such a source is asked for again where somebody may be asked.
alter table source add column reading integer;
