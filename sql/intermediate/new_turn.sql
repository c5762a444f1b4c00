-- mart.turn for the current run: the replies of its conversations, with what was said before each.
-- One row per question and system that is a reply of a conversation.
create or replace view new_turn as
select run_id, question_id, system, conversation_id, turn, n_turns, asked_text_key, history_text_key
from run_answer
where run_id = getvariable('run_id') and turn is not null;
