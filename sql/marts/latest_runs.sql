-- The newest finished run of each data set.
-- One row per data set.
create or replace view latest_runs as
select distinct on (dataset) *
from runs
where state = 'finished'
order by dataset, started_at desc, run_id desc;
