-- How far the mean of the criteria under a tag can be trusted; runs finished before have none.

create table mart.criteria_interval (
    run_id varchar not null,
    system varchar not null,
    tag varchar not null,
    low double,
    high double,
    n_units bigint not null,
    note varchar
);
