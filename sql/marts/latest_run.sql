-- The newest finished run, of whatever data set.
-- One row in all.
create or replace view latest_run as
select *
from runs
where state = 'finished'
order by started_at desc, run_id desc
limit 1;
