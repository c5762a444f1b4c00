-- Answers beside the guidance of their question; one that could not be taken apart is waited for.
-- One row per distinct answer and guidance.
create or replace view guidance_items as
select distinct answer.answer_key || run_question.guidance_set_key as item_key, answer.answer_key, guidance_set_key
from current_answer as answer
join run_question on run_question.run_id = getvariable('run_id') and run_question.question_id = answer.question_id
semi join (from decomposition where fingerprint = pinned('decompose')) as taken_apart using (answer_key)
where run_question.guidance_set_key is not null and not is_blank(answer.text);

-- Those without states under the pinned fingerprint that nobody has set aside.
create or replace view guidance_pending as
select *
from guidance_items
anti join (from guidance_match where fingerprint = pinned('guidance')) as known using (answer_key, guidance_set_key)
anti join (from set_aside where stage = 'guidance' and fingerprint = pinned('guidance')) as aside using (item_key)
order by item_key;
