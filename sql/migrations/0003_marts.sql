-- Frozen results: computed once from a run's pins, appended in the transaction that finishes the run.

create schema mart;

create table mart.question (
    run_id varchar not null,
    question_id varchar not null,
    question varchar not null,
    reference_answer varchar,
    guidance varchar,
    risk_level varchar,
    category varchar,
    case_id varchar,
    n_nuggets bigint not null,
    nugget_origin varchar,
    nugget_version integer not null default 1,
    nuggets_edited_by varchar,
    nuggets_reason varchar,
    primary key (run_id, question_id)
);

create table mart.nugget (
    run_id varchar not null,
    question_id varchar not null,
    nugget_id varchar not null,
    position integer not null,
    text_key varchar not null,
    importance varchar not null check (importance in ('vital', 'okay')),
    origin varchar not null check (origin in ('given', 'made', 'edited')),
    made_by varchar,
    provenance varchar
);

create table mart.answer (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    state varchar not null check (state in ('answered', 'empty', 'refused', 'not_answered', 'failed')),
    text_key varchar,
    n_claims bigint not null,
    n_non_claims bigint not null,
    n_characters bigint not null,
    n_characters_covered bigint not null,
    has_references boolean not null,
    primary key (run_id, question_id, system)
);

create table mart.nugget_state (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    nugget_id varchar not null,
    state varchar not null check (state in ('covered', 'partial', 'contradicted', 'missing')),
    decided_by varchar not null default 'signals' check (decided_by in ('signals', 'model')),
    signals_state varchar check (signals_state in ('covered', 'partial', 'contradicted', 'missing')),
    model_state varchar check (model_state in ('covered', 'partial', 'contradicted', 'missing')),
    score double,
    margin double,
    claim_ids varchar[] not null,
    runner_up varchar,
    one_to_one varchar,
    conflict boolean not null,
    ambiguous boolean not null,
    reason varchar,
    contrasts json not null
);

create table mart.claim (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    claim_id varchar not null,
    position integer not null,
    text_key varchar not null,
    span_start integer not null,
    span_end integer not null,
    kind varchar not null check (kind in ('claim', 'non_claim')),
    kind_reason varchar,
    needs_citation boolean not null,
    needs_reason varchar,
    state varchar check (state in ('correct', 'contradicts', 'unmatched', 'non_claim')),
    nugget_id varchar,
    score double,
    potentially_matched varchar[] not null,
    joint_entailment double,
    joint_reason varchar
);

create table mart.sentence (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    sentence_id varchar not null,
    position integer not null,
    text_key varchar not null,
    span_start integer not null,
    span_end integer not null,
    label varchar check (label in ('required', 'unnecessary', 'borderline', 'inappropriate')),
    supported boolean,
    entailment double,
    source_id varchar,
    passage_key varchar,
    n_retrieved integer,
    primary key (run_id, question_id, system, sentence_id)
);

create table mart.citation (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    claim_id varchar not null,
    ordinal integer not null,
    citation varchar not null,
    source_id varchar,
    state varchar not null check (
        state in ('supports', 'partial', 'contradicts', 'neutral', 'not_found', 'untraceable', 'unverifiable')
    ),
    entailment double,
    neutral double,
    contradiction double,
    passage_key varchar,
    passage_label varchar,
    sentence_start integer,
    sentence_end integer,
    n_windows bigint,
    coverage double,
    text_kind varchar check (text_kind in ('title', 'abstract', 'full_text', 'document')),
    title varchar,
    url varchar,
    retracted varchar not null check (retracted in ('yes', 'no', 'unchecked')),
    concern varchar not null check (concern in ('yes', 'no', 'unchecked')),
    erratum varchar not null check (erratum in ('yes', 'no', 'unchecked')),
    -- Whether the claim's readable citations entail it together; NULL where that could not be tested.
    set_entails boolean,
    -- Whether the citation does something for that; NULL where that could not be tested.
    contributes boolean,
    reason varchar
);

create table mart.judgement (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    judge varchar not null,
    sample_no integer not null,
    status varchar not null check (status in ('scored', 'abstained', 'failed')),
    medical_correctness integer,
    evidence_sufficiency integer,
    evidence_sufficiency_raw integer,
    response_alignment integer,
    safety integer,
    has_references boolean not null,
    guidance_given boolean not null,
    rubric_score double,
    rubric_score_low double,
    rubric_score_high double,
    safety_capped_score double,
    justification varchar,
    model_answered varchar,
    reason varchar
);

create table mart.score (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    profile varchar not null check (profile in ('any', 'seed', 'bioace', 'trec')),
    metric varchar not null,
    numerator double,
    denominator double,
    value double,
    reason varchar,
    check (value is not null or reason is not null)
);

create table mart.system_score (
    run_id varchar not null,
    system varchar not null,
    profile varchar not null,
    metric varchar not null,
    value double,
    micro double,
    low double,
    high double,
    n_asked bigint not null,
    n_answered bigint not null,
    n_refused bigint not null,
    n_scored bigint not null,
    n_abstained bigint not null,
    n_failed bigint not null,
    reason varchar
);

create table mart.cost (
    run_id varchar not null,
    stage varchar not null,
    model varchar not null,
    n_calls bigint not null,
    n_failed_calls bigint not null,
    prompt_tokens bigint,
    completion_tokens bigint,
    cached_tokens bigint,
    seconds double,
    money double,
    currency varchar
);

create table mart.ranking (
    run_id varchar not null,
    question_id varchar not null,
    judge varchar not null,
    order_no integer not null,
    system varchar not null,
    place integer not null,
    points integer check (points between 1 and 5),
    rationale varchar,
    reason varchar
);

-- How far points depend on the place alone; one row a place.
create table mart.ranking_place (
    run_id varchar not null,
    judge varchar not null,
    n_answers integer not null,
    place integer not null,
    mean_residual double not null,
    n_rankings bigint not null,
    p_value double not null,
    order_disagreement double
);

-- How well a run's judges hold: each one's repeats, its part in the panel, and the ranking without it.
create table mart.judge_stability (
    run_id varchar not null,
    judge varchar not null,
    n_judges bigint not null,
    n_samples bigint not null,
    n_answers bigint not null,
    n_scored bigint not null,
    n_scored_by_all bigint not null,
    mean_score double,
    repeat_spread double,
    repeat_spread_of_means double,
    correlation_with_others double,
    effective_judges double,
    rank_correlation_without double,
    largest_shift_without double,
    aggregation varchar not null,
    reason varchar
);

create table mart.comparison (
    run_id varchar not null,
    metric varchar not null,
    profile varchar not null,
    stratum varchar not null default 'all',
    system_a varchar not null,
    system_b varchar not null,
    family varchar not null check (family in ('primary', 'exploratory')),
    n_questions bigint not null,
    n_dropped bigint not null,
    difference double,
    low double,
    high double,
    p_value double,
    p_adjusted double,
    effect_size double,
    wins bigint not null,
    ties bigint not null,
    losses bigint not null,
    tie_margin double not null,
    detectable_difference double,
    questions_needed bigint,
    best_case double,
    worst_case double,
    reason varchar
);

create table mart.preference (
    run_id varchar not null,
    question_id varchar not null,
    system_a varchar not null,
    system_b varchar not null,
    preferred_by varchar not null check (preferred_by in ('metric', 'listwise', 'human')),
    who varchar not null,
    outcome varchar not null check (outcome in ('win', 'tie', 'loss')),
    difference double
);

create table mart.agreement (
    run_id varchar not null,
    metric varchar not null,
    profile varchar not null default 'any',
    human_metric varchar not null,
    level varchar not null check (level in ('answer', 'system', 'nugget', 'pair', 'triple', 'evaluation')),
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

-- A system by one of our metrics and by the human one that it stands for, over the answers that both scored.
create table mart.agreement_point (
    run_id varchar not null,
    human_metric varchar not null,
    profile varchar not null default 'any',
    metric varchar not null,
    system varchar not null,
    n_questions bigint not null,
    human_mean double not null,
    automatic_mean double not null
);

-- What `medassay calibrate` last made of a run's marks; the row without a system is all of them.
create table mart.calibration (
    run_id varchar not null,
    metric varchar not null,
    system varchar,
    map varchar not null check (map in ('linear', 'isotonic')),
    n_answers bigint not null,
    n_labels bigint not null,
    raw double,
    corrected double,
    low double,
    high double,
    error double,
    error_low double,
    error_high double,
    error_of_the_mean double,
    skill double,
    reason varchar,
    calibrated_at timestamptz not null
);

-- Of a judge, not of a run: what `medassay doctor --licence` last saw.
create table mart.judge_licence (
    judge varchar not null,
    fingerprint varchar not null,
    sub_metric varchar not null,
    n_pairs bigint not null,
    n_ordered_right bigint not null,
    n_tied bigint not null,
    n_unscored bigint not null,
    licensed boolean not null,
    examined_at timestamptz not null,
    primary key (fingerprint, sub_metric)
);

-- A judge's marks on the answers of a frozen run, asked for anew: now less then.
create table mart.judge_drift (
    run_id varchar not null,
    anchor_run_id varchar not null,
    judge varchar not null,
    sub_metric varchar not null,
    n_answers bigint not null,
    n_unscored bigint not null,
    before double,
    now double,
    difference double,
    low double,
    high double,
    drifted boolean not null,
    model_before varchar,
    model_now varchar,
    reason varchar
);
