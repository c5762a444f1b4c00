-- What people said, every time they said it: the current words are in human_score and evaluation_preference.

create table human_score_record (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    annotator varchar not null,
    metric varchar not null,
    target varchar not null,
    judge varchar not null,
    item varchar not null,
    role varchar not null,
    score double,
    label varchar,
    version integer not null,
    -- `data`: a row of human_scores.*; `sheet`: an imported annotation sheet.
    origin varchar not null check (origin in ('data', 'sheet')),
    recorded_at timestamptz not null
);

-- Which of two judges' evaluations of one answer an annotator prefers, both unnamed when it was decided.
create table evaluation_preference (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    run_a varchar not null,
    run_b varchar not null,
    judge_a varchar not null,
    judge_b varchar not null,
    annotator varchar not null,
    field varchar not null check (field in ('knowledge_correctness', 'reference_correctness', 'fluency')),
    preferred varchar not null check (preferred in ('a', 'b', 'tie')),
    side_of_a varchar not null check (side_of_a in ('left', 'right')),
    version integer not null,
    recorded_at timestamptz not null,
    primary key (dataset, question_id, system, run_a, run_b, annotator, field)
);

create table evaluation_preference_record (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    run_a varchar not null,
    run_b varchar not null,
    annotator varchar not null,
    field varchar not null,
    preferred varchar not null,
    version integer not null,
    recorded_at timestamptz not null
);

-- Why somebody scored an answer as they did: rows of rationales.*, one author of which is the reference.
create table rationale (
    dataset varchar not null,
    question_id varchar not null,
    system varchar not null,
    author varchar not null,
    rationale varchar not null
);

-- How near a rationale comes to the reference author's, by a model.
create table mart.rationale_score (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    author varchar not null,
    sample_no integer not null,
    reference_author varchar not null,
    measure varchar not null,
    model varchar not null,
    fingerprint varchar not null,
    pair_key varchar not null,
    value double not null
);
