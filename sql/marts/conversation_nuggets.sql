-- What became of each nugget over a conversation: its last word, its state in each turn, in which turn it was first stated,
-- first contradicted, and turned around after it had been stated.
-- One row per run, conversation, system and nugget.
create or replace view conversation_nuggets as
select state.*, text.text as nugget, nugget.importance
from mart.conversation_nugget as state
join mart.nugget as nugget using (run_id, question_id, nugget_id)
join text using (text_key);
