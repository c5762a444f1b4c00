-- The distinct texts to embed: claims, nuggets, and what claims are compared with as a whole: question and reference.
-- One row per text.
create or replace view embed_items as
select text_key as item_key from current_claim where kind = 'claim'
union
select text_key from current_nugget
union
select unnest([question_text_key, reference_key]) as text_key
from run_question
where run_id = getvariable('run_id');

-- Those without a vector under the pinned fingerprint.
create or replace view embed_pending as
select text.text_key as item_key, text.text
from embed_items
join text on text.text_key = embed_items.item_key
anti join (from embedding where fingerprint = pinned('embed')) using (text_key)
order by length(text.text), item_key;
