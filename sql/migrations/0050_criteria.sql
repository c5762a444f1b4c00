-- Criteria of questions (HealthBench's form), the judge's verdicts on them, and people's marks of them.

create table criterion (
    criteria_set_key varchar not null,
    position integer not null,
    text_key varchar not null,
    -- Over 0 for what a good answer does, below 0 for what it must not do.
    points double not null,
    tags varchar[] not null,
    primary key (criteria_set_key, position)
);

alter table run_question add column criteria_set_key varchar;

-- Whether an answer meets a criterion, by its text: two questions with the same criterion have answers of their own.
create table criterion_verdict (
    answer_key varchar not null,
    text_key varchar not null,
    fingerprint varchar not null,
    met boolean not null,
    evidence varchar,
    -- Where the evidence stands in the answer; NULL where there is none, or it does not stand there.
    span_start integer,
    span_end integer,
    note varchar,
    model_answered varchar,
    primary key (answer_key, text_key, fingerprint)
);

create table mart.criterion (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    criterion_id varchar not null,
    position integer not null,
    text_key varchar not null,
    points double not null,
    tags varchar[] not null,
    met boolean,
    evidence varchar,
    span_start integer,
    span_end integer,
    judge varchar,
    model_answered varchar,
    reason varchar,
    status varchar not null check (status in ('scored', 'not_applicable', 'abstained', 'failed')),
    check (met is not null or reason is not null)
);

-- A constraint cannot be altered in place: a mark may now be of a criterion, and agreement too.
create table human_score_before as from human_score;

drop table human_score;

create table human_score (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    annotator varchar not null,
    metric varchar not null,
    target varchar not null check (target in ('answer', 'evaluation', 'nugget', 'criterion')),
    judge varchar not null default '',
    role varchar not null check (role in ('tune', 'test')),
    item varchar not null default '',
    score double,
    label varchar,
    -- 1 as first said, one more with every correction; what was said before is in human_score_record.
    version integer not null default 1,
    origin varchar not null default 'data' check (origin in ('data', 'sheet')),
    recorded_at timestamptz not null default now(),
    primary key (dataset, question_id, system, annotator, metric, target, judge, item)
);

insert into human_score by name from human_score_before;

drop table human_score_before;

create table agreement_before as from mart.agreement;

drop table mart.agreement;

create table mart.agreement (
    run_id varchar not null,
    metric varchar not null,
    profile varchar not null default 'any',
    human_metric varchar not null,
    level varchar not null check (
        level in ('answer', 'system', 'nugget', 'criterion', 'pair', 'triple', 'evaluation')
    ),
    measure varchar not null,
    -- Of answers or nuggets: all, or those on which people agree, or differ, among themselves.
    stratum varchar not null default 'all',
    stands_in boolean not null,
    value double,
    low double,
    high double,
    ceiling double,
    ceiling_low double,
    ceiling_high double,
    baseline double,
    n bigint not null,
    n_systems bigint,
    reason varchar
);

insert into mart.agreement by name from agreement_before;

drop table agreement_before;
