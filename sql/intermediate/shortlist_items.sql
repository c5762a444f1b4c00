-- Answers beside the nuggets they are held against, earlier replies of a conversation beside those of all of it; one that could not be taken apart is waited for, since nothing is known
-- of its claims.
-- One row per distinct answer and nugget set.
create or replace view shortlist_items as
select distinct answer_key || nugget_set.nugget_set_key as item_key, answer_key, nugget_set.nugget_set_key
from current_answer
join nugget_set on nugget_set.nugget_set_key = current_answer.held_against_key
left join (from decomposition where fingerprint = pinned('decompose')) as decomposition using (answer_key)
where decomposition.answer_key is not null or is_blank(current_answer.text);

-- Those whose promising claim–nugget pairs have not been chosen yet.
create or replace view shortlist_pending as
select *
from shortlist_items
anti join (from shortlist where fingerprint = pinned('shortlist')) using (answer_key, nugget_set_key)
order by item_key;
