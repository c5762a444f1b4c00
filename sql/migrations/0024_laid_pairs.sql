-- Which pair of a shard each pair of ours became, as JSON; NULL where all were laid under their own names.
alter table entail_shard add column laid_as varchar;
