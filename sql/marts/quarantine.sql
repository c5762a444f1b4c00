-- Rows that broke a rule and were left out: where they stand, what was seen, what to do.
-- One row per run and left-out row.
create or replace view quarantine as
from rejected_row;
