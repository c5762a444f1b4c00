-- Return the runs that stay: the last `keep` finished ones, the last of every data set, and what is not yet over.
with finished as (
    select
        run_id,
        dataset,
        started_at,
        row_number() over (order by started_at desc, run_id desc) as age,
        row_number() over (partition by dataset order by started_at desc, run_id desc) as age_in_data_set
    from run
    where state = 'finished'
)

select run_id from finished where age <= $keep or age_in_data_set = 1
union all
select run.run_id from run
anti join finished on finished.dataset = run.dataset and finished.started_at > run.started_at
where run.state <> 'finished'
order by run_id
