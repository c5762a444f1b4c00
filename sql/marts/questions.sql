-- What was asked in a run.
-- One row per run and question.
create or replace view questions as
from mart.question;
