-- Say which judges hold no licence: those that missed too many errors, and those that were not examined. Marks from
-- evidence are formulas over rows that can be looked at: of them only a failed examination is told.
select judge, bool_and(licensed) as licensed
from (from judge_stability where run_id = $1) as own
left join judge_licences using (run_id, judge)
where judge <> 'evidence' or licensed is not null
group by judge order by judge
