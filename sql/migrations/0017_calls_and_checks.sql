-- What each call was about, what the server's status was, and which check of the guard let its text leave.
alter table model_call add column item_key varchar;
alter table model_call add column http_status integer;
alter table model_call add column guard_key varchar;
create table phi_audit_before as from phi_audit;
drop table phi_audit;
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
insert into phi_audit by name select *, input_key as guard_key from phi_audit_before;
drop table phi_audit_before;
create table phi_meaning_before as from phi_meaning;
drop table phi_meaning;
create table phi_meaning (
    run_id varchar not null,
    stage varchar not null,
    guard_key varchar not null,
    meaning json not null,
    primary key (run_id, stage, guard_key)
);
insert into phi_meaning select run_id, stage, input_key, meaning from phi_meaning_before;
drop table phi_meaning_before;
