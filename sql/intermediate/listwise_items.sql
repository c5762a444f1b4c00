-- The questions whose answers the listwise judge compares in the current run.
-- One row per distinct input.
create or replace view listwise_items as
select distinct input_key as item_key from run_listwise_input where run_id = getvariable('run_id');

-- Inputs of which an order has no points under the pinned fingerprint.
create or replace view listwise_pending as
with ranked as (
    select input_key
    from listwise_ranking
    where fingerprint = pinned('listwise')
    group by input_key
    having count(points) = count(*)
)

select listwise_items.item_key, listwise_input.input
from listwise_items
join listwise_input on listwise_input.input_key = listwise_items.item_key
anti join ranked on ranked.input_key = listwise_items.item_key
anti join (from set_aside where stage = 'listwise' and fingerprint = pinned('listwise')) using (item_key)
order by item_key;
