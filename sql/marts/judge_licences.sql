-- How many of the gold pairs, alike but for one deliberate error, a judge ordered right.
-- One row per run, judge and sub-metric.
create or replace view judge_licences as
from mart.judge_licence;
