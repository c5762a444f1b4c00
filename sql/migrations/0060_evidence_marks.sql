-- What an answer is held against besides nuggets and sources: its question's guidance, and the reference as a text.

-- The reference answer, or where only nuggets were given their texts, as a passage that claims are read against.
alter table run_question add column reference_key varchar;

alter table run_question add column guidance_set_key varchar;

-- The question as a text that can be embedded.
alter table run_question add column question_text_key varchar;

create table guidance_statement (
    guidance_set_key varchar not null,
    position integer not null,
    kind varchar not null check (kind in ('do', 'dont', 'red_flag')),
    -- The instruction as the guidance words it; `text_key` is the statement that is read in the answer.
    words varchar not null,
    text_key varchar not null,
    primary key (guidance_set_key, position)
);

create table guidance_match (
    answer_key varchar not null,
    guidance_set_key varchar not null,
    position integer not null,
    fingerprint varchar not null,
    state varchar not null check (state in ('said', 'turned', 'missing')),
    score double,
    claim_positions integer[] not null,
    reason varchar not null,
    primary key (answer_key, guidance_set_key, position, fingerprint)
);

-- What decided marks from evidence: ids of nuggets, claims and instructions, those that weigh most first.
alter table mart.judgement add column decided_by varchar[];

create table mart.guidance_state (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    statement_id varchar not null,
    kind varchar not null check (kind in ('do', 'dont', 'red_flag')),
    words varchar not null,
    text_key varchar not null,
    state varchar not null check (state in ('said', 'turned', 'missing')),
    score double,
    claim_ids varchar[] not null,
    reason varchar not null
);

create table mart.reference_verdict (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    claim_id varchar not null,
    state varchar check (state in ('supports', 'contradicts', 'neutral')),
    entailment double,
    neutral double,
    contradiction double,
    reason varchar,
    check (state is not null or reason is not null)
);
