-- Of how many verdicts the states of an answer were made: when more are there, they are made again.
create table match_made (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    n_read bigint not null,
    primary key (answer_key, nugget_set_key, fingerprint)
);

-- Nobody counted before: what is there is kept, and made again by the next run that can.
insert into match_made
select distinct answer_key, nugget_set_key, fingerprint, -1 as n_read from nugget_match;
