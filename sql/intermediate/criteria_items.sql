-- The criteria of every answer of the current run.
-- One row per distinct answer and criterion.
create or replace view criteria_items as
select distinct
    answer.answer_key || criterion.text_key as item_key,
    answer.answer_key,
    criterion.text_key
from current_answer as answer
join run_question on run_question.run_id = getvariable('run_id') and run_question.question_id = answer.question_id
join criterion using (criteria_set_key);

-- Those without a verdict under the pinned fingerprint that nobody has set aside.
create or replace view criteria_pending as
select item_key, answer_key, text_key
from criteria_items
anti join (from criterion_verdict where fingerprint = pinned('criteria')) as known using (answer_key, text_key)
anti join (from set_aside where stage = 'criteria' and fingerprint = pinned('criteria')) as aside using (item_key)
order by answer_key, text_key;

-- What the judge is shown of the answers that have pending criteria: all criteria of each, by their texts, so that what is
-- asked does not hang on what is known already.
-- One row per answer.
create or replace view criteria_material as
select
    item.answer_key,
    any_value(answer.question) as question,
    any_value(answer_text.text) as answer,
    list({'text_key': item.text_key, 'text': text.text} order by text.text) as criteria
from criteria_items as item
join answer using (answer_key)
join text as answer_text on answer_text.text_key = answer.text_key
join text on text.text_key = item.text_key
semi join criteria_pending as pending on pending.answer_key = item.answer_key
group by item.answer_key
order by item.answer_key;
