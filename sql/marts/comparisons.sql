-- Two systems on the same questions: the paired difference, its interval, and whether it is more than chance.
-- One row per run, metric, stratum and pair of systems.
create or replace view comparisons as
from mart.comparison;
