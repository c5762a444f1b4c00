-- Replies of a conversation are answers of their own: which turn each is, what was said before it, and the nuggets of its
-- conversation. What must be asked or raised in a conversation is read in answers as guidance is.

alter table run_answer add column if not exists conversation_id varchar;

alter table run_answer add column if not exists turn integer;

alter table run_answer add column if not exists n_turns integer;

alter table run_answer add column if not exists asked_text_key varchar;

alter table run_answer add column if not exists history_text_key varchar;

alter table run_answer add column if not exists conversation_nugget_set_key varchar;

alter table guidance_statement rename to guidance_statement_before;

create table guidance_statement (
    guidance_set_key varchar not null,
    position integer not null,
    kind varchar not null check (kind in ('do', 'dont', 'red_flag', 'ask', 'raise')),
    words varchar not null,
    text_key varchar not null,
    by_turn integer,
    primary key (guidance_set_key, position)
);

insert into guidance_statement by name from guidance_statement_before;

drop table guidance_statement_before;

alter table mart.question add column if not exists profile varchar;

alter table mart.question add column if not exists messages varchar;

create table if not exists mart.turn (
    run_id varchar not null,
    question_id varchar not null,
    system varchar not null,
    conversation_id varchar not null,
    turn integer not null,
    n_turns integer not null,
    asked_text_key varchar not null,
    history_text_key varchar
);

create table if not exists mart.conversation_nugget (
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

create table if not exists mart.conversation_act (
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
