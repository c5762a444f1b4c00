-- What the engine knows a run as, so that one that was killed can be closed there too.
alter table run add column flow_run_id varchar;
