select
    file, table_name, any_value(rule) as rule, any_value(advice) as advice, arg_min(value, line) as value,
    count(*) as n_rows
from rejected_row
where run_id = $run and file not in (select file from landing where run_id = $run)
group by file, table_name
having count(*) > 1 and count(distinct rule) = 1 and bool_and(regexp_matches(observed, '^(item \d+: )?nothing there$'))
order by file, table_name
