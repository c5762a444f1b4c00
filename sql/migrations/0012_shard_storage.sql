-- Where a shard lies; NULL before it was kept: where shards of this home travel now.
alter table entail_shard add column storage varchar;
