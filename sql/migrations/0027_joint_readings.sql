-- What was read of a claim beyond one source at a time, as the run's numbers rest on it.
create table mart.joint_reading (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    claim_id varchar not null,
    role varchar not null check (role in ('all', 'without', 'part')),
    -- The source that was left out, or that was held against a part; NULL where all were read.
    source_id varchar,
    part_no integer not null,
    -- NULL where the best sentences do not fit one window.
    premise_key varchar,
    hypothesis_key varchar not null,
    entailment double,
    neutral double,
    contradiction double,
    entails boolean,
    contradicts boolean,
    reason varchar
);
