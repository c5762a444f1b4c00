-- Who compared answers side by side in a run, by the key under which its licence is kept; of runs from before nobody knows.
create table run_comparing_judge (
    run_id varchar primary key,
    judge varchar not null,
    judge_key varchar not null
);
insert into run_comparing_judge
select run_id, any_value(judge), '' from mart.ranking group by run_id;
