-- What each system said, silence included.
-- One row per run, question and system.
create or replace view answers as
select answer.* exclude (text_key), text.text as answer
from mart.answer as answer
left join text using (text_key);
