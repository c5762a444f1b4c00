-- What people scored, as it holds now; a correction takes the old score's place, which stays in the history.
-- One row per data set, answer, annotator, metric, target, judge and item.
create or replace view human_scores as
from human_score;
