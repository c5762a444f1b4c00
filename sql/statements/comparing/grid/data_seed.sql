-- Return the seed of a run's resampling, from a digest of its questions, their given nuggets and the answers.
select concat_ws(' ', question_id, question_key, given_set_key) as line from run_question where run_id = $run_id
union all
select concat_ws(' ', question_id, system, answer_key) as line from run_answer where run_id = $run_id
order by line
