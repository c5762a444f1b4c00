-- What became of every instruction of a question's guidance in every answer, by which sentences, and why. A Do and a red
-- flag are kept where they are said, a Don't unless it is said.
-- One row per run, question, system and instruction.
create or replace view guidance_states as
select
    state.run_id, state.question_id, state.system, state.statement_id, state.kind, state.words, text.text as statement,
    state.state, (state.state = 'said') = (state.kind <> 'dont') as kept, state.score, state.claim_ids, state.reason
from mart.guidance_state as state
join text using (text_key);
