-- The tables of a home. A later change is a file of its own in `migrations`.

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
    -- Why a claim stands as the rules cut it where a language model was asked to.
    split_reason varchar,
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
    -- NULL before readings were counted: such a source is asked for again where somebody may be asked.
    reading integer,
    -- When a source last told this; the first time stands in fetched_at.
    told_at timestamptz,
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
    added_at timestamptz not null,
    -- NULL before readings were counted: such a file is read anew when it is added again.
    reading integer
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
    record json,
    -- Versions of PubMed's citations, and by which reading a source was read.
    -- Older files gave each change as of version 1.
    version integer default 1,
    -- What a record is called besides its first DOI and PMCID, NULL where nothing: an article may bear more than one DOI.
    other_names varchar[]
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
    -- Which of a cascade's readers gave a verdict; null where one model read every pair.
    reader varchar,
    primary key (premise_key, hypothesis_key, fingerprint)
);

-- Claims whose citations were read together and in parts.
create table joint_claim (
    evidence_key varchar not null,
    fingerprint varchar not null,
    -- What each source said by itself when a claim's sources were read together: it decides what has to be read.
    states varchar,
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
    -- How many passages of the answer spoke to its judge, which read it without them and with what they tell besides.
    -- NULL where none was looked for: in marks from before they were.
    n_left_out integer,
    -- How a judge's reply had to be read: marks written as text, a justification of one sentence, repaired JSON.
    notes varchar,
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
    -- How many passages of each answer spoke to the judge and were not shown to it, by place; NULL where none was looked for.
    n_left_out integer[],
    -- Whether the judge's reply kept to its form, so that the strict reader could read it; NULL for orders without points and
    -- in those from before this was kept.
    is_strict boolean,
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
    stage varchar,
    -- What each call was about, what the server's status was, and which check of the guard let its text leave.
    item_key varchar,
    http_status integer,
    guard_key varchar
);

create table fingerprint (
    fingerprint varchar primary key,
    stage varchar not null,
    spec json not null
);

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
    note varchar,
    -- What the engine knows a run as, so that one that was killed can be closed there too.
    flow_run_id varchar
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
    value json not null,
    -- Where a landed row stands within its file: of a JSON file the line says little, it may be its only one.
    item bigint
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
    criteria_set_key varchar,
    -- The reference answer, or where only nuggets were given their texts, as a passage that claims are read against.
    reference_key varchar,
    guidance_set_key varchar,
    -- The question as a text that can be embedded.
    question_text_key varchar,
    primary key (run_id, question_id)
);

create table run_answer (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    answer_key varchar not null,
    file varchar,
    line bigint,
    context_set_key varchar,
    -- A reply of a conversation: the question that stands for all of it, and which reply of how many; NULL for an answer to
    -- a question that stands alone. The last reply is the answer to that question; earlier ones have questions of their own.
    conversation_id varchar,
    turn integer,
    n_turns integer,
    -- What the user said before it, since the last reply, and all that was said before that.
    asked_text_key varchar,
    history_text_key varchar,
    -- Of an earlier reply the nuggets that its conversation is held against.
    conversation_nugget_set_key varchar,
    primary key (run_id, question_id, system)
);

-- Answers that could not be had when a system was asked: an outage of the world, not the system's silence.
create table run_unasked (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    reason varchar not null,
    -- Whether an answer is missing because its row is in quarantine, and not because the system could not be asked.
    in_quarantine boolean default false,
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

-- A sample that a judge abstained on: the marks that its reply held all the same, and why that is not all.
create table incomplete_judgement (
    input_key varchar not null,
    fingerprint varchar not null,
    sample_no integer not null,
    medical_correctness integer check (medical_correctness between 0 and 100),
    evidence_sufficiency_raw integer check (evidence_sufficiency_raw between 0 and 100),
    response_alignment integer check (response_alignment between 0 and 100),
    safety integer check (safety between 0 and 100),
    justification varchar,
    reason varchar not null,
    model_answered varchar,
    n_left_out integer,
    notes varchar,
    primary key (input_key, fingerprint, sample_no)
);

-- The user's prices as they were when models were asked outside of a run; NULL where none was known.
create table asking_price (
    model varchar not null,
    told_at timestamptz not null,
    prompt_per_million double,
    completion_per_million double,
    currency varchar
);

create table phi_audit (
    -- NULL for the questions that `answer` puts to a system.
    run_id varchar,
    stage varchar not null,
    endpoint varchar not null,
    -- What the text is about; the place of a text that stopped a run.
    input_key varchar not null,
    -- Names what left, or would have left, as it was after the check: its calls have the same.
    guard_key varchar not null,
    action varchar not null check (action in ('clean', 'blocked', 'redacted', 'allowed')),
    kinds json not null,
    -- NULL for checks from before this was kept.
    checked_at timestamptz,
    unique (run_id, stage, endpoint, input_key, guard_key)
);

create table phi_meaning (
    run_id varchar not null,
    stage varchar not null,
    guard_key varchar not null,
    meaning json not null,
    primary key (run_id, stage, guard_key)
);

-- Who compared answers side by side in a run, by the key under which its licence is kept; of runs from before nobody knows.
create table run_comparing_judge (
    run_id varchar primary key,
    judge varchar not null,
    judge_key varchar not null
);

-- What an answer carries of its own sources is read for that answer alone, where nobody else has a text of them.
create table run_own_text (
    run_id varchar not null,
    answer_key varchar not null,
    source_id varchar not null,
    fetch_no integer not null,
    primary key (run_id, answer_key, source_id)
);

-- Sources of which neither PubMed has a text, nor Crossref, which was asked for one: nobody is asked again by itself.
create table textless_source (
    source_id varchar primary key,
    asked_at timestamptz not null
);

-- Of how many verdicts the states of an answer were made: when more are there, they are made again.
create table match_made (
    answer_key varchar not null,
    nugget_set_key varchar not null,
    fingerprint varchar not null,
    n_read bigint not null,
    primary key (answer_key, nugget_set_key, fingerprint)
);

-- What was set aside once and done since, by a run with `--retry`: later runs say nothing of it any more.
create table mended_item (
    stage varchar not null,
    fingerprint varchar not null,
    item_key varchar not null,
    mended_at timestamptz not null,
    primary key (stage, fingerprint, item_key)
);

-- Documents that an evaluator's questions are answered from while data for a judge is built.
-- Vectors lie in `knowledge_vector_<n>`, one table a dimension, made when the first vector of it is stored.
create table knowledge_document (
    document_key varchar primary key,
    store varchar not null check (store in ('medicine', 'guidelines')),
    name varchar not null,
    -- SHA-256 of the file.
    digest varchar not null,
    n_pages integer,
    n_chunks integer not null,
    n_characters integer not null,
    added_at timestamptz not null
);

create table knowledge_chunk (
    -- Counts all chunks of all documents, in the order in which they were added.
    chunk_no bigint primary key,
    document_key varchar not null,
    position integer not null,
    -- From 1; NULL in files without pages.
    page integer,
    -- In characters of the page, of the whole file where it has no pages.
    span_start integer not null,
    span_end integer not null,
    text varchar not null
);

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

-- Chunks of rows that kept every rule, so that the same rows are not held against the same rules again.
create table sound_chunk (
    digest varchar primary key, -- of the rows, their table, and the code and library that hold the rules
    found_at timestamptz not null
);

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

-- What a system retrieved before it answered, and what these contexts say of the answer's claims and the nuggets.
create table context (
    context_set_key varchar not null,
    position integer not null,
    text_key varchar not null,
    primary key (context_set_key, position)
);

create table guidance_statement (
    guidance_set_key varchar not null,
    position integer not null,
    -- `ask` and `raise`: what an assistant must ask, and a red flag that it must raise, perhaps by a turn.
    kind varchar not null check (kind in ('do', 'dont', 'red_flag', 'ask', 'raise')),
    -- The instruction as the guidance words it; `text_key` is the statement that is read in the answer.
    words varchar not null,
    text_key varchar not null,
    by_turn integer,
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
    profile varchar,
    messages varchar,
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
    n_claims bigint,
    n_non_claims bigint,
    n_characters bigint,
    n_characters_covered bigint,
    has_references boolean,
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
    joint_reason varchar,
    -- What a claim and all that it cites are called together, as `outcome` names them; NULL where that was never asked about.
    evidence_key varchar,
    split_reason varchar
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
    reason varchar,
    -- Whom a verdict's text was had from, and when; NULL in runs from before, and where nothing was read.
    origin varchar,
    fetched_at timestamptz,
    -- Of what was read: its title, passages and standing. The same digest is the same evidence.
    digest varchar,
    -- NULL where none does, and in runs from before it was kept.
    opposing_passage_key varchar,
    opposing_label varchar,
    opposing_start integer,
    opposing_end integer,
    -- The same for what a verdict was read from; NULL as fetched_at is.
    told_at timestamptz
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
    has_references boolean,
    guidance_given boolean,
    rubric_score double,
    rubric_score_low double,
    rubric_score_high double,
    safety_capped_score double,
    justification varchar,
    model_answered varchar,
    reason varchar,
    n_left_out integer,
    notes varchar,
    -- What decided marks from evidence: ids of nuggets, claims and instructions, those that weigh most first.
    decided_by varchar[]
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
    -- scored, abstained, failed or not_applicable; NULL in runs from before.
    status varchar,
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
    reason varchar,
    n_not_applicable bigint,
    -- Questions with a value, those of one case counted once.
    n_units bigint
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
    reason varchar,
    n_left_out integer,
    is_strict boolean
);

-- How far points depend on the place alone; one row a place.
create table mart.ranking_place (
    run_id varchar not null,
    judge varchar not null,
    n_answers integer not null,
    place integer not null,
    mean_residual double,
    n_rankings bigint not null,
    p_value double,
    order_disagreement double,
    reason varchar
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
    reason varchar,
    family_size bigint
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
    calibrated_at timestamptz not null,
    -- Why nothing is known of how good a map is, or what to know of its interval.
    map_reason varchar
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
    -- Pairs whose error only a clinician sees; NULL in examinations from before.
    n_subtle bigint,
    n_subtle_ordered_right bigint,
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

create table mart.context (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    position integer not null,
    text_key varchar not null,
    -- NULL where the context could not be held against all of them.
    n_nuggets_held bigint,
    n_claims_supported bigint
);

create table mart.context_verdict (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    kind varchar not null check (kind in ('claim', 'nugget')),
    item_id varchar not null,
    state varchar check (state in ('supports', 'contradicts', 'neutral')),
    -- The context that decides, from 1.
    context_no integer,
    entailment double,
    contradiction double,
    fault varchar check (fault in (
        'from nowhere', 'no context holds it', 'a context holds it, the answer does not say it',
        'a context holds it, the answer contradicts it'
    )),
    reason varchar
);

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

create table mart.turn (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    conversation_id varchar not null,
    turn integer not null,
    n_turns integer not null,
    asked_text_key varchar not null,
    history_text_key varchar
);

create table mart.conversation_nugget (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    nugget_id varchar not null,
    state varchar not null check (state in ('covered', 'partial', 'contradicted', 'missing')),
    turn_states varchar[] not null,
    covered_turn integer,
    contradicted_turn integer,
    unsaid_turn integer
);

create table mart.conversation_act (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    act_id varchar not null,
    kind varchar not null check (kind in ('ask', 'raise')),
    words varchar not null,
    by_turn integer,
    state varchar not null check (state in ('done', 'late', 'missing')),
    turn integer,
    claim_id varchar,
    score double,
    reason varchar not null
);
