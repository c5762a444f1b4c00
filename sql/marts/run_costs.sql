-- What each run asked of models behind an API, and what it took.
-- One row per run, stage and model.
create or replace view run_costs as
from mart.cost;
