-- Answers of the current run whose rows are all in quarantine: the system did answer, and nothing can be scored.
-- Only of systems that the run knows otherwise, and of questions that were accepted. A row of whole records that could
-- not be read counts as an answer where it names a question and a system.
-- One row per question and system.
create or replace view quarantined_answers as
with known as (
    select system from run_answer where run_id = getvariable('run_id')
    union
    select system from run_unasked where run_id = getvariable('run_id')
)

select
    row.value ->> 'question_id' as question_id,
    row.value ->> 'system' as system,
    first(row.rule order by row.rowid) as rule
from rejected_row as row
semi join known on known.system = (row.value ->> 'system')
semi join run_question as question
    on question.run_id = row.run_id and question.question_id = (row.value ->> 'question_id')
anti join run_answer as answer
    on
        answer.run_id = row.run_id
        and answer.question_id = (row.value ->> 'question_id')
        and answer.system = (row.value ->> 'system')
where row.run_id = getvariable('run_id') and row.table_name in ('answer', 'file') and json_type(row.value) = 'OBJECT'
group by all;
