-- Say which answer something is of, the first where there are several; a pair of texts is known by its claim.
with items as (
    select run_id, question_id, system, answer_key as item_key from run_answer
    union all
    select run_id, question_id, system, input_key from run_judge_input
    union all
    select run_id, question_id, null, input_key from run_listwise_input
    union all
    select run_id, question_id, system, text_key from run_answer join claim using (answer_key)
)
select question_id, system from items
where run_id = $run_id and item_key in ($key, $key[33:])
order by all limit 1
