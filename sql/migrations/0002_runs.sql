-- What was done: a run is a membership list, its pins, its outcomes and its frozen results.

create table run (
    run_id varchar primary key,
    name varchar,
    dataset varchar not null,
    data varchar not null,
    shape varchar,
    parent_run_id varchar,
    state varchar not null check (state in ('running', 'finished', 'failed', 'abandoned')),
    profile varchar not null,
    settings json not null,
    seed bigint,
    metrics_version varchar,
    version varchar not null,
    started_at timestamptz not null,
    finished_at timestamptz,
    note varchar
);

create table run_stage (
    run_id varchar not null,
    stage varchar not null,
    fingerprint varchar not null,
    began_at timestamptz not null default now(),
    n_items bigint not null default 0,
    n_pending bigint not null default 0,
    n_done bigint not null default 0,
    n_abstained bigint not null default 0,
    n_failed bigint not null default 0,
    seconds double,
    note varchar,
    primary key (run_id, stage)
);

-- Rows as read, before they are accepted or quarantined; emptied when the run has accepted them.
create table landing (
    run_id varchar not null,
    kind varchar not null check (kind in ('question', 'answer', 'document', 'human_score', 'rationale')),
    file varchar not null,
    line bigint not null,
    value json not null
);

create table rejected_row (
    run_id varchar not null,
    table_name varchar not null,
    row_key varchar,
    file varchar not null,
    line bigint,
    rule varchar not null,
    observed varchar,
    advice varchar not null,
    value varchar
);

create table run_question (
    run_id varchar not null,
    question_id varchar not null,
    question_key varchar not null,
    nugget_set_key varchar,
    given_set_key varchar not null default 'none given',
    -- 1 as given or made, one more with every edit by a person.
    nugget_version integer not null default 1,
    nuggets_edited_by varchar,
    profile varchar,
    file varchar,
    line bigint,
    primary key (run_id, question_id)
);

create table run_answer (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    answer_key varchar not null,
    file varchar,
    line bigint,
    primary key (run_id, question_id, system)
);

-- Answers that could not be had when a system was asked: an outage of the world, not the system's silence.
create table run_unasked (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    reason varchar not null,
    primary key (run_id, question_id, system)
);

create table run_judge_input (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    input_key varchar not null,
    primary key (run_id, question_id, system)
);

create table run_listwise_input (
    run_id varchar not null,
    question_id varchar not null,
    input_key varchar not null,
    primary key (run_id, question_id)
);

-- What was found before anything left this machine, by kind and never by text.
create table phi_audit (
    run_id varchar not null,
    stage varchar not null,
    endpoint varchar not null,
    input_key varchar not null,
    action varchar not null check (action in ('clean', 'blocked', 'redacted', 'allowed')),
    kinds json not null,
    primary key (run_id, stage, endpoint, input_key)
);

-- What placeholders stand for; it stays in this file.
create table phi_meaning (
    run_id varchar not null,
    stage varchar not null,
    input_key varchar not null,
    meaning json not null,
    primary key (run_id, stage, input_key)
);

-- The judges of a run; several are a panel.
create table run_judge (
    run_id varchar not null,
    judge_no integer not null,
    judge varchar not null,
    fingerprint varchar not null,
    -- The judge alone, as licences name it; the fingerprint names also what was done to its inputs.
    judge_key varchar not null,
    caveat varchar,
    primary key (run_id, judge_no)
);

-- The user's prices as they were when the run asked.
create table run_price (
    run_id varchar not null,
    model varchar not null,
    prompt_per_million double not null,
    completion_per_million double not null,
    currency varchar not null,
    primary key (run_id, model)
);

create table run_source (
    run_id varchar not null,
    source_id varchar not null,
    fetch_no integer,
    state varchar not null check (state in ('found', 'not_found', 'unverifiable')),
    reason varchar,
    primary key (run_id, source_id)
);

create table outcome (
    run_id varchar not null,
    stage varchar not null,
    item_key varchar not null,
    fingerprint varchar not null,
    state varchar not null check (state in ('abstained', 'not_found', 'unverifiable', 'failed')),
    reason varchar not null,
    attempts integer not null default 1,
    primary key (run_id, stage, item_key)
);

-- What runs that were pruned had set aside: their successors keep to it until `--retry`.
create table pruned_outcome (
    stage varchar not null,
    item_key varchar not null,
    fingerprint varchar not null,
    state varchar not null check (state in ('abstained', 'not_found')),
    reason varchar not null,
    attempts integer not null default 1,
    primary key (stage, fingerprint, item_key)
);

create table human_score (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    annotator varchar not null,
    metric varchar not null,
    target varchar not null check (target in ('answer', 'evaluation', 'nugget')),
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
