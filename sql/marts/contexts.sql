-- The contexts that came with each answer, and how many nuggets and claims each of them holds.
-- One row per run, question, system and context.
create or replace view contexts as
select
    context.run_id, context.question_id, context.system, context.position + 1 as context_no, text.text as context,
    context.n_nuggets_held, context.n_claims_supported
from mart.context as context
join text using (text_key);
