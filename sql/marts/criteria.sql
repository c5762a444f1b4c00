-- Whether each answer meets each criterion of its question, by the judge's verdict, and the words of the answer that show it.
-- One row per run, question, system and criterion.
create or replace view criteria as
select
    criterion.run_id, criterion.question_id, criterion.system, criterion.criterion_id, text.text as criterion,
    criterion.points, criterion.tags, criterion.met, criterion.evidence, criterion.span_start, criterion.span_end,
    criterion.judge, criterion.model_answered, criterion.status, criterion.reason
from mart.criterion as criterion
join text using (text_key);
