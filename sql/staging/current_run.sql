-- The run that the working views look at: the one `focus` named.
-- One row.
create or replace view current_run as
select * from run where run_id = getvariable('run_id');
