-- Systems all of whose rows are in quarantine, so that no other view has them. A row of whole records that could not be
-- read counts where it names its system.
-- One row per run and system.
create or replace view quarantined_systems as
with named as (
    select run_id, value ->> 'system' as system
    from rejected_row
    where table_name in ('answer', 'file') and json_type(value) = 'OBJECT' and json_type(value -> 'system') = 'VARCHAR'
)

select run_id, system, count(*) as n_rows
from named
anti join mart.answer as answer using (run_id, system)
where trim(system) <> ''
group by run_id, system;
