-- Which sources carry the answers? The most cited ones, and for how many of the claims beside them they speak.
select
    coalesce(title, citation) as source,
    count(*) as n_citations,
    count(*) filter (state = 'supports') as supports,
    count(*) filter (state = 'contradicts') as contradicts,
    count(distinct system) as n_systems
from citation_verdicts
semi join latest_run using (run_id)
where source_id is not null
group by source
order by n_citations desc, source
limit 20;
