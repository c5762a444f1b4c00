-- Ask one judge about the anchor's answers, and compare with the marks that it gave first.
select judge_input.input_key, judge_input.input, first.* exclude (input_key)
from run_judge_input
join judge_input using (input_key)
join judgement as first using (input_key)
where run_judge_input.run_id = ? and first.fingerprint = ? and first.sample_no = 0
order by md5(input_key)
limit ?
