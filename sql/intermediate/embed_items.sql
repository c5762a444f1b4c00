-- The distinct sentences to embed: claims and nuggets.
-- One row per text.
create or replace view embed_items as
select text_key as item_key from current_claim where kind = 'claim'
union
select text_key from current_nugget;

-- Those without a vector under the pinned fingerprint.
create or replace view embed_pending as
select text.text_key as item_key, text.text
from embed_items
join text on text.text_key = embed_items.item_key
anti join (from embedding where fingerprint = pinned('embed')) using (text_key)
order by length(text.text), item_key;
