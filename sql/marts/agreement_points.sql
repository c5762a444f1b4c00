-- What lies behind the agreement on systems: each system's mean by people and by the metric that stands in for them.
-- One row per run, human metric, metric and system.
create or replace view agreement_points as
from mart.agreement_point;
