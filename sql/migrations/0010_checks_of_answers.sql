-- What `answer` asks a system belongs to no run, and is looked at before it leaves like everything else.
create table phi_audit_before as from phi_audit;
drop table phi_audit;
create table phi_audit (
    -- NULL for the questions that `answer` and `compare --system` put to a system.
    run_id varchar,
    stage varchar not null,
    endpoint varchar not null,
    input_key varchar not null,
    action varchar not null check (action in ('clean', 'blocked', 'redacted', 'allowed')),
    kinds json not null,
    unique (run_id, stage, endpoint, input_key)
);
insert into phi_audit by name from phi_audit_before;
drop table phi_audit_before;
