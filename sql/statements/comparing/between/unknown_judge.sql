-- Return the answers whose marks in between would need a judge to be asked; those from evidence are made of readings.
select question_id, system from current_answer
join run_judge on run_judge.run_id = getvariable('run_id')
where run_judge.judge <> 'evidence'
and (judge_input_key, run_judge.fingerprint) not in (select (input_key, fingerprint) from judgement)
and judge_input_key || ':' || run_judge.fingerprint not in (
    select item_key from set_aside where stage = 'judge'
)
