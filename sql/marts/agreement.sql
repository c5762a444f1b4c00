-- How far the automatic scores agree with people, beside what people reach among themselves.
-- One row per run, metric, human metric, level and measure.
create or replace view agreement as
from mart.agreement;
