-- The nuggets that the current run's answers are held against.
-- One row per distinct nugget set and nugget.
create or replace view current_nugget as
with sets as (
    select nugget_set_key from current_question where nugget_set_key is not null
    union
    -- In a part of a run a conversation's own question may be in another part.
    select conversation_nugget_set_key from run_answer
    where run_id = getvariable('run_id') and conversation_nugget_set_key is not null
)

select nugget.*, text.text
from sets
join nugget using (nugget_set_key)
join text using (text_key);
