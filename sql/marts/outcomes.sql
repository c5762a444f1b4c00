-- Items that a stage could not score, and why.
-- One row per run, stage and item.
create or replace view outcomes as
from outcome;
