-- What decompose has to see in the current run.
-- One row per distinct answer.
create or replace view decompose_items as
select distinct answer_key as item_key from current_answer;

-- What it has not yet taken apart under the pinned fingerprint.
create or replace view decompose_pending as
select answer.answer_key as item_key, answer.*, text.text
from decompose_items
join answer on answer.answer_key = decompose_items.item_key
join text using (text_key)
anti join (from decomposition where fingerprint = pinned('decompose')) using (answer_key)
order by answer_key;
