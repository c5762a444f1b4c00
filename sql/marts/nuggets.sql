-- The facts that a good answer holds, as given or as made from the reference answer.
-- One row per run, question and nugget.
create or replace view nuggets as
select nugget.* exclude (text_key), text.text as nugget
from mart.nugget as nugget
join text using (text_key);
