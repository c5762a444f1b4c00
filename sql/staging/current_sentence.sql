-- The sentences of the current run's answers, where they were asked for.
-- One row per distinct answer and sentence.
create or replace view current_sentence as
with answers as (select distinct answer_key from current_answer)

select answer_sentence.*, text.text
from answers
join answer_sentence using (answer_key)
join text using (text_key)
where answer_sentence.fingerprint = pinned('decompose');
