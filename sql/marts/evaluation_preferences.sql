-- Which of two judges' evaluations of one answer an annotator preferred, both unnamed when it was decided.
-- One row per data set, answer, pair of runs, annotator and field.
create or replace view evaluation_preferences as
from evaluation_preference;
