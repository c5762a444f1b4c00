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

-- Answers that stand as the rules cut them since the model gave nothing usable, and that `--retry` asks about again, once
-- in a run.
-- One row per distinct answer.
create or replace view decompose_again as
select told.item_key as answer_key
from told_aside as told
join decompose_items using (item_key)
anti join (from outcome where run_id = getvariable('run_id') and stage = 'decompose') as now_said using (item_key)
where
    told.stage = 'decompose'
    and told.fingerprint = pinned('decompose')
    and exists (from current_run where coalesce((settings ->> 'retry')::boolean, false));
