-- How far the automatic scores agree with people, beside what people reach among themselves.
-- One row per run, metric, profile, human metric, level, measure and stratum.
create or replace view agreement as
from mart.agreement;
