-- Questions of the current run that stand for an earlier reply of a conversation: a system is asked them where its
-- conversation has got so far.
-- One row per question.
create or replace view earlier_turn as
select distinct question_id, conversation_id
from run_answer
where run_id = getvariable('run_id') and turn < n_turns;
