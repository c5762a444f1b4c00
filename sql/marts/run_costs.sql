-- What each run asked of models, behind an API or embedded, and what it took, with what `compare` asked for it: the
-- systems' answers (stage `answer`) and marks of an anchor (stage `drift`). Calls that an earlier run paid for are
-- absent; those of no run are in `other_costs`. What a run that was killed or failed had asked is counted when the next
-- one ends.
-- One row per run, stage and model.
create or replace view run_costs as
from mart.cost;
