-- What each run asked of models, behind an API or embedded, and what it took; calls that an earlier run paid for are
-- absent. What a run that was killed or failed had asked is counted when the next one ends.
-- One row per run, stage and model.
create or replace view run_costs as
from mart.cost;
