-- The nuggets that the current run's answers are held against.
-- One row per distinct nugget set and nugget.
create or replace view current_nugget as
with sets as (select distinct nugget_set_key from current_question where nugget_set_key is not null)

select nugget.*, text.text
from sets
join nugget using (nugget_set_key)
join text using (text_key);
