-- Return, by what scores are made of, the answers whose scores in between would need a model to be asked.
select question_id, system from current_answer
join criteria_pending using (answer_key)
join fingerprint on fingerprint.fingerprint = pinned('criteria') and (spec ->> 'judge') <> 'none'
