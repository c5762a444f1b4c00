-- Answers beside the nuggets they are held against.
-- One row per distinct answer and nugget set.
create or replace view shortlist_items as
select distinct answer_key || nugget_set_key as item_key, answer_key, nugget_set_key
from current_answer
join nugget_set using (nugget_set_key);

-- Those whose promising claim–nugget pairs have not been chosen yet.
create or replace view shortlist_pending as
select *
from shortlist_items
anti join (from shortlist where fingerprint = pinned('shortlist')) using (answer_key, nugget_set_key)
order by item_key;

create or replace view match_items as
select * from shortlist_items;

-- Those without states under the pinned fingerprint; a set without nuggets has none to give.
create or replace view match_pending as
select *
from match_items
anti join (from nugget_match where fingerprint = pinned('match')) using (answer_key, nugget_set_key)
semi join nugget using (nugget_set_key)
order by item_key;
