-- Return a sheet of the run's answers, systems unnamed, in an order that tells nothing.
select answer.question_id, answer.system, question.question, question.reference_answer, text.text as answer
from mart.answer as answer
join mart.question as question using (run_id, question_id)
join text on text.text_key = answer.text_key
where answer.run_id = ? and answer.state in ('answered', 'refused')
order by answer.question_id, answer.system
