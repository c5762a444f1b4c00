-- What each stage of a run had to do, did, and left undone.
-- One row per run and stage.
create or replace view run_stages as
select run_stage.*, fingerprint.spec
from run_stage
left join fingerprint using (fingerprint);
