-- The current run's answers with their questions' nuggets.
-- One row per question and system that answered.
create or replace view current_answer as
select
    run_answer.question_id,
    run_answer.system,
    run_answer.answer_key,
    run_judge_input.input_key as judge_input_key,
    run_question.question_key,
    run_question.nugget_set_key,
    answer.text_key,
    text.text,
    answer.reference_list,
    asked.text as asked,
    history.text as history,
    coalesce(run_answer.conversation_nugget_set_key, run_question.nugget_set_key) as held_against_key,
    coalesce(run_answer.turn < run_answer.n_turns, false) as is_earlier_turn
from current_run
join run_answer using (run_id)
join run_question using (run_id, question_id)
join answer using (answer_key)
join text on text.text_key = answer.text_key
left join text as asked on asked.text_key = run_answer.asked_text_key
left join text as history on history.text_key = run_answer.history_text_key
left join run_judge_input using (run_id, question_id, system);
