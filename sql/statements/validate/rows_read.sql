-- Count the rows of the run's data by table, those that could not be read among them.
select kind, count(*) as n from (
select kind from landing where run_id = $run_id
union all select table_name from rejected_row where run_id = $run_id
) group by kind
