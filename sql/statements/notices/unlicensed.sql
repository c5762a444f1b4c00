-- Say which judges hold no licence: those that missed too many errors, and those that were not examined.
select judge, bool_and(licensed) as licensed
from (from judge_stability where run_id = $1) as own
left join judge_licences using (run_id, judge)
group by judge order by judge
