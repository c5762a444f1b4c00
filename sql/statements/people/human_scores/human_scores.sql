-- Return every human metric of the run's data set, and those that are made of them.
select metric, annotator, question_id, system, role, score from human_score
semi join mart.answer as answer on answer.run_id = ? and answer.question_id = human_score.question_id
and answer.system = human_score.system
where dataset = (select dataset from run where run_id = ?) and target = 'answer' and score is not null
order by metric, annotator, question_id, system
