-- What things are: keyed by content, written once, shared by every run that meets them.

create table warehouse (
    warehouse_id uuid not null,
    created_at timestamptz not null
);

create table text (
    text_key varchar primary key,
    text varchar not null
);

create table question (
    question_key varchar primary key,
    question varchar not null,
    reference_answer varchar,
    profile varchar,
    messages varchar,
    guidance varchar,
    risk_level varchar,
    category varchar,
    case_id varchar
);

create table answer (
    answer_key varchar primary key,
    question varchar not null,
    text_key varchar not null,
    reference_list json not null,
    cited_spans json not null,
    documents json not null
);

create table nugget_set (
    nugget_set_key varchar primary key,
    origin varchar not null check (origin in ('given', 'made', 'edited')),
    fingerprint varchar,
    created_at timestamptz not null
);

create table nugget (
    nugget_set_key varchar not null,
    position integer not null,
    text_key varchar not null,
    importance varchar not null check (importance in ('vital', 'okay')),
    origin varchar not null check (origin in ('given', 'made', 'edited')),
    -- The data, the rules, a model, or the person who edited it.
    made_by varchar not null,
    provenance varchar,
    primary key (nugget_set_key, position)
);

-- Every edit of a question's nuggets by a person, in order; the newest counts in later runs. An edit holds for
-- the nuggets that it started from: those given with the data, or none given.
create table nugget_edit (
    question_key varchar not null,
    given_set_key varchar not null,
    nugget_set_key varchar not null,
    parent_nugget_set_key varchar,
    version integer not null,
    editor varchar not null,
    edited_at timestamptz not null
);

create table decomposition (
    answer_key varchar not null,
    fingerprint varchar not null,
    n_claims integer not null,
    n_non_claims integer not null,
    n_characters integer not null,
    n_characters_covered integer not null,
    has_references boolean not null,
    primary key (answer_key, fingerprint)
);

create table claim (
    answer_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    text_key varchar not null,
    span_start integer not null,
    span_end integer not null,
    kind varchar not null check (kind in ('claim', 'non_claim')),
    kind_reason varchar,
    needs_citation boolean not null,
    needs_reason varchar,
    primary key (answer_key, fingerprint, position)
);

create table citation (
    answer_key varchar not null,
    fingerprint varchar not null,
    claim_position integer not null,
    ordinal integer not null,
    marker varchar not null,
    source_id varchar,
    span_start integer,
    span_end integer,
    primary key (answer_key, fingerprint, claim_position, ordinal)
);

create table cited_source (
    answer_key varchar not null,
    fingerprint varchar not null,
    source_id varchar not null,
    title varchar,
    url varchar,
    content varchar,
    origin varchar,
    primary key (answer_key, fingerprint, source_id)
);

create table source (
    source_id varchar not null,
    fetch_no integer not null,
    origin varchar not null,
    content_digest varchar not null,
    title varchar,
    year integer,
    journal varchar,
    publication_types json not null,
    url varchar,
    retracted varchar not null check (retracted in ('yes', 'no', 'unchecked')),
    concern varchar not null check (concern in ('yes', 'no', 'unchecked')),
    erratum varchar not null check (erratum in ('yes', 'no', 'unchecked')),
    full_text boolean not null default false,
    -- The record as it was read, for export; NULL for what came with the data.
    record json,
    -- The source_body or the pubmed_file that it was read from.
    body_digest varchar,
    fetched_at timestamptz not null,
    primary key (source_id, fetch_no)
);

-- What a source that answered does not have; an outage is never here.
create table missing_source (
    source_id varchar primary key,
    reason varchar not null,
    origin varchar not null,
    -- What was asked; NULL where another home was told.
    fingerprint varchar,
    fetched_at timestamptz not null
);

create table passage (
    source_id varchar not null,
    fetch_no integer not null,
    position integer not null,
    label varchar,
    text_key varchar not null,
    primary key (source_id, fetch_no, position)
);

create table source_body (
    content_digest varchar primary key,
    url varchar not null,
    body blob not null,
    fetched_at timestamptz not null
);

-- PubMed's own files, as `medassay sources add` read them.
create table pubmed_file (
    file_digest varchar primary key,
    file_no integer not null,
    name varchar not null,
    -- NLM's year and number, 0 for any other name.
    revision bigint not null,
    n_records bigint not null,
    n_withdrawn bigint not null,
    added_at timestamptz not null
);

-- What each file says of each record; the last of the highest revision counts. Without a key, so that
-- a baseline of tens of millions of rows goes in at the speed of the disk.
create table pubmed_change (
    source_id varchar not null,
    revision bigint not null,
    file_no integer not null,
    position bigint not null,
    doi varchar,
    pmcid varchar,
    -- Whether it is retracted or of concern.
    warned boolean not null,
    -- NULL where PubMed has withdrawn it.
    record json
);

create table embedding (
    text_key varchar not null,
    fingerprint varchar not null,
    vector float[] not null,
    primary key (text_key, fingerprint)
);

create table shortlist (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    n_pairs integer not null,
    primary key (answer_key, nugget_set_key, fingerprint)
);

create table shortlist_pair (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    premise_key varchar not null,
    hypothesis_key varchar not null
);

create table pair_score (
    premise_key varchar not null,
    hypothesis_key varchar not null,
    fingerprint varchar not null,
    entailment double not null,
    neutral double not null,
    contradiction double not null,
    n_windows integer not null,
    sentence_start integer,
    sentence_end integer,
    coverage double not null,
    -- What the model said beyond the three, such as that the source is not relevant.
    remark varchar,
    primary key (premise_key, hypothesis_key, fingerprint)
);

-- Pairs that were sent to the GPU work pool, and what became of them.
create table entail_shard (
    shard varchar primary key,
    -- What the verdicts are kept under, and what the worker is asked for.
    fingerprint varchar not null,
    model varchar not null,
    ids_digest varchar not null,
    flow_run_id varchar,
    state varchar not null check (state in ('sent', 'merged', 'withdrawn')),
    sent_at timestamptz not null
);

-- Claims whose citations were read together and in parts.
create table joint_claim (
    evidence_key varchar not null,
    fingerprint varchar not null,
    primary key (evidence_key, fingerprint)
);

-- What all sources of a claim say together, all without one, and each of a part of the claim.
create table joint_reading (
    evidence_key varchar not null,
    fingerprint varchar not null,
    role varchar not null check (role in ('all', 'without', 'part')),
    source_id varchar not null default '',
    part_no integer not null default 0,
    premise_key varchar,
    hypothesis_key varchar not null,
    entailment double,
    entails boolean,
    contradicts boolean,
    reason varchar,
    primary key (evidence_key, fingerprint, role, source_id, part_no)
);

create table nugget_match (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    state varchar not null check (state in ('covered', 'partial', 'contradicted', 'missing')),
    score double,
    margin double,
    runner_up integer,
    claim_positions integer[] not null,
    one_to_one integer,
    conflict boolean not null,
    ambiguous boolean not null,
    reason varchar,
    contrasts json not null,
    primary key (answer_key, nugget_set_key, fingerprint, position)
);

create table claim_match (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    state varchar not null check (state in ('correct', 'contradicts', 'unmatched', 'non_claim')),
    nugget_position integer,
    score double,
    potentially_matched integer[] not null,
    primary key (answer_key, nugget_set_key, fingerprint, position)
);

-- What a language model says of each nugget in an answer; which claim a covered one is laid at is our reading.
create table nugget_assignment (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    state varchar not null check (state in ('covered', 'partial', 'contradicted', 'missing')),
    claim_positions integer[] not null,
    one_to_one integer,
    model_answered varchar,
    primary key (answer_key, nugget_set_key, fingerprint, position)
);

create table answer_sentence (
    answer_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    text_key varchar not null,
    span_start integer not null,
    span_end integer not null,
    primary key (answer_key, fingerprint, position)
);

create table sentence_label (
    answer_key varchar not null,
    fingerprint varchar not null,
    position integer not null,
    label varchar not null check (label in ('required', 'unnecessary', 'borderline', 'inappropriate')),
    model_answered varchar,
    primary key (answer_key, fingerprint, position)
);

-- What BM25 found for a sentence among the passages of one collection of documents.
create table retrieval (
    text_key varchar not null,
    corpus_key varchar not null,
    fingerprint varchar not null,
    n_found integer not null,
    primary key (text_key, corpus_key, fingerprint)
);

create table retrieved_passage (
    text_key varchar not null,
    corpus_key varchar not null,
    fingerprint varchar not null,
    rank integer not null,
    source_id varchar not null,
    passage_key varchar not null,
    score double not null,
    primary key (text_key, corpus_key, fingerprint, rank)
);

create table judge_input (
    input_key varchar primary key,
    input json not null,
    has_references boolean not null,
    guidance_given boolean not null
);

create table judgement (
    input_key varchar not null,
    fingerprint varchar not null,
    sample_no integer not null,
    medical_correctness integer check (medical_correctness between 0 and 100),
    evidence_sufficiency_raw integer check (evidence_sufficiency_raw between 0 and 100),
    response_alignment integer check (response_alignment between 0 and 100),
    safety integer check (safety between 0 and 100),
    justification varchar,
    justification_reason varchar,
    model_answered varchar,
    primary key (input_key, fingerprint, sample_no)
);

create table listwise_input (
    input_key varchar primary key,
    input json not null
);

create table listwise_ranking (
    input_key varchar not null,
    fingerprint varchar not null,
    order_no integer not null,
    systems varchar[] not null,
    points integer[],
    rationale varchar,
    reason varchar,
    model_answered varchar,
    primary key (input_key, fingerprint, order_no)
);

create table model_call (
    request_key varchar not null,
    sample_no integer not null,
    attempt integer not null,
    endpoint varchar not null,
    model_asked varchar not null,
    model_answered varchar,
    prompt_digest varchar not null,
    raw_text varchar,
    finish_reason varchar,
    status varchar not null,
    error varchar,
    prompt_tokens bigint,
    completion_tokens bigint,
    cached_tokens bigint,
    latency_s double,
    asked_at timestamptz not null,
    -- The sources that the server says it answered from.
    retrieved json,
    run_id varchar,
    stage varchar
);

create table fingerprint (
    fingerprint varchar primary key,
    stage varchar not null,
    spec json not null
);
