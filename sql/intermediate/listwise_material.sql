-- What the listwise judge may be shown: a question with every system's answer to it.
-- One row per question that anybody answered.
create or replace view listwise_material as
select
    answer.question_id,
    any_value(question.question) as question,
    list({'system': answer.system, 'text': answer.text} order by answer.system) as answers
from current_answer as answer
join current_question as question using (question_id)
where not is_blank(answer.text) and not answer.is_earlier_turn
group by answer.question_id;
