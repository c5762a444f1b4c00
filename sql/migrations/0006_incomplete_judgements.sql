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
    primary key (input_key, fingerprint, sample_no)
);
