-- Whether a shard's texts may still lie at its storage: until deleting them has worked, each run tries again.
alter table entail_shard add column laid boolean default false;
update entail_shard set laid = (state = 'sent');
