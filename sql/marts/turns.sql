-- The replies of conversations, with what the user said before each and all that was said before that. The last reply is the
-- answer to the conversation's own question, each earlier one to a question of its own.
-- One row per run, question and system that is a reply of a conversation.
create or replace view turns as
select turn.* exclude (asked_text_key, history_text_key), asked.text as asked, history.text as history
from mart.turn as turn
join text as asked on asked.text_key = turn.asked_text_key
left join text as history on history.text_key = turn.history_text_key;
