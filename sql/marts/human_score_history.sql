-- Everything that people ever scored, in the order in which they said it.
-- One row per data set, answer, annotator, metric, target, judge, item and version.
create or replace view human_score_history as
from human_score_record;
