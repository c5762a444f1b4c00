-- The ledger: every attempt at asking a model, and how it went; never what was said, by us or by the server, which
-- stays in the work file.
-- One row per request, sample and attempt; a reply that a later run used again stands under the run that paid for it.
create or replace view model_calls as
select
    run_id, stage, item_key, model_asked, model_answered, endpoint, prompt_digest, request_key, sample_no, attempt,
    status, http_status, finish_reason, prompt_tokens, completion_tokens, cached_tokens, latency_s, asked_at
from model_call;
