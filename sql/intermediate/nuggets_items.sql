-- The nugget sets that the current run's questions name.
-- One row per nugget set.
create or replace view nuggets_items as
select distinct nugget_set_key as item_key from current_question where nugget_set_key is not null;

-- Those that still have to be made from a reference answer.
create or replace view nuggets_pending as
select
    nugget_set_key as item_key,
    any_value(question) as question,
    any_value(reference_answer) as reference_answer
from current_question
anti join nugget_set using (nugget_set_key)
anti join (from set_aside where stage = 'nuggets' and fingerprint = pinned('nuggets')) as given_up
    on given_up.item_key = current_question.nugget_set_key
where nugget_set_key is not null
group by nugget_set_key
order by item_key;
