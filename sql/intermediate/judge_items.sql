-- What the judge is shown in the current run.
-- One row per distinct input.
create or replace view judge_items as
select distinct judge_input_key as item_key from current_answer where judge_input_key is not null;

-- Inputs without a judgement under the pinned fingerprint.
create or replace view judge_pending as
select judge_items.item_key, judge_input.input
from judge_items
join judge_input on judge_input.input_key = judge_items.item_key
anti join (from judgement where fingerprint = pinned('judge')) as judged on judged.input_key = judge_items.item_key
anti join (from set_aside where stage = 'judge' and fingerprint = pinned('judge')) using (item_key)
order by item_key;
