-- What a mean leaves out and what its interval rests on, how large a family is.
-- Columns that are added cannot be checked: DuckDB knows no constraint on them.

-- scored, abstained, failed or not_applicable; NULL in runs from before.
alter table mart.score add column status varchar;

alter table mart.system_score add column n_not_applicable bigint;

-- Questions with a value, those of one case counted once.
alter table mart.system_score add column n_units bigint;

alter table mart.comparison add column family_size bigint;

-- Pairs whose error only a clinician sees; NULL in examinations from before.
alter table mart.judge_licence add column n_subtle bigint;

alter table mart.judge_licence add column n_subtle_ordered_right bigint;
