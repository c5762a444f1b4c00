-- What was found in the texts before they went to a model outside this machine, by kind and never by text.
-- One row per call, attempts among them; a text of which nothing was sent, since the run was stopped or what it needs
-- was asked before, has one row without a call. What `answer` sent or kept back belongs to no run.
create or replace view phi_checks as
select
    phi_audit.run_id,
    phi_audit.stage,
    phi_audit.endpoint,
    phi_audit.input_key,
    phi_audit.action,
    phi_audit.kinds,
    phi_audit.checked_at,
    call.request_key,
    call.prompt_digest,
    call.sample_no,
    call.attempt,
    call.status,
    call.asked_at
from phi_audit
left join model_call as call
    on call.run_id is not distinct from phi_audit.run_id
    and call.stage = phi_audit.stage
    and call.endpoint = phi_audit.endpoint
    and call.guard_key = phi_audit.guard_key;
