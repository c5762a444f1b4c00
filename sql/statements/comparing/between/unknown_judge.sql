-- Return, by what scores are made of, the answers whose scores in between would need a model to be asked.
select question_id, system from current_answer
join run_judge on run_judge.run_id = getvariable('run_id')
where (judge_input_key, run_judge.fingerprint) not in (select (input_key, fingerprint) from judgement)
and judge_input_key || ':' || run_judge.fingerprint not in (
    select item_key from set_aside where stage = 'judge'
)
