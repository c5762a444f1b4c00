-- Which of two answers to one question is preferred, by a metric, by the listwise judge or by a person.
-- One row per run, question, pair of systems and who prefers.
create or replace view preferences as
from mart.preference;
