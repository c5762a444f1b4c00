-- A passage of the cited source that says the opposite of what the source as a whole says, and its nearest sentence;
-- NULL where none does, and in runs from before it was kept.
alter table mart.citation add column opposing_passage_key varchar;
alter table mart.citation add column opposing_label varchar;
alter table mart.citation add column opposing_start integer;
alter table mart.citation add column opposing_end integer;
