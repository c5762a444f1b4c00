-- When a source last told this; the first time stands in fetched_at.
alter table source add column told_at timestamptz;

update source set told_at = fetched_at;

-- The same for what a verdict was read from; NULL as fetched_at is.
alter table mart.citation add column told_at timestamptz;

update mart.citation set told_at = fetched_at;
