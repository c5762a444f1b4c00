-- A judge's marks on the answers of a frozen run, asked for anew by `medassay compare --anchor`; points of 100.
-- One row per run, judge and sub-metric.
create or replace view judge_drift as
from mart.judge_drift;
