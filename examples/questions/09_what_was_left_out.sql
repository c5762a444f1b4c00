-- What do the numbers not count? Rows in quarantine, items that a stage could not score, citations that could not be
-- checked, and metrics without a value. A source that was not found is none of them: it counts against its answer.
with latest as (from latest_run)

select 'row in quarantine' as what, table_name as of_what, rule as reason, count(*) as n
from quarantine semi join latest using (run_id) group by all
union all
select 'item ' || state, stage, reason, count(*)
from outcomes semi join latest using (run_id) where state <> 'not_found' group by all
union all
select 'citation not checked', system, reason, count(*)
from citations semi join latest using (run_id) where state = 'unverifiable' group by all
union all
select 'metric without a value', metric, reason, count(*)
from system_scores join latest using (run_id)
where system_scores.value is null and system_scores.profile in ('any', latest.profile) group by all
order by what, n desc, of_what, reason;
