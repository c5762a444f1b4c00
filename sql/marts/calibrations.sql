-- The judge's means beside what people would give, from the answers that people scored (`medassay calibrate`).
-- One row per run, metric and system; the row without a system is all of them.
create or replace view calibrations as
from mart.calibration;
