-- The fingerprint that the current run pinned for a stage.
create or replace macro pinned(stage_name) as (
    select run_stage.fingerprint
    from run_stage
    where run_stage.run_id = getvariable('run_id') and run_stage.stage = stage_name
);
