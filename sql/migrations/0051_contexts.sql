-- What a system retrieved before it answered, and what these contexts say of the answer's claims and the nuggets.

create table context (
    context_set_key varchar not null,
    position integer not null,
    text_key varchar not null,
    primary key (context_set_key, position)
);

alter table run_answer add column context_set_key varchar;

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
