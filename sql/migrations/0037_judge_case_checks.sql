-- What experts said of evaluations that a judge is to be trained on; every statement, and the one that holds now.

create table judge_case_check (
    case_id varchar not null,
    expert varchar not null,
    criterion varchar not null check (criterion in ('medical_knowledge', 'no_misattribution', 'fluency')),
    passes boolean not null,
    version integer not null,
    recorded_at timestamptz not null,
    primary key (case_id, expert, criterion)
);

create table judge_case_check_record (
    case_id varchar not null,
    expert varchar not null,
    criterion varchar not null,
    passes boolean not null,
    version integer not null,
    recorded_at timestamptz not null
);
