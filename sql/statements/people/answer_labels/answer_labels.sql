-- Return the labels in words of a run's answers, of human metrics that nobody gave a score of.
with said as (
    from human_score
    semi join mart.answer as answer
        on answer.run_id = $run_id and answer.question_id = human_score.question_id
        and answer.system = human_score.system
    where dataset = (select dataset from run where run_id = $run_id) and target = 'answer'
)

select metric, annotator, question_id, system, item, role, label from said
where label is not null and metric not in (select metric from said where score is not null)
order by metric, annotator, question_id, system, item
