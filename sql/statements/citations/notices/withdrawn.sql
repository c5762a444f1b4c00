-- Say how many citations are of sources that were retracted, or that their journal is concerned about.
select
    if(retracted = 'yes', 'retracted', 'under an expression of concern') as standing,
    count(*) as n_citations,
    count(distinct source_id) as n_sources,
    min(source_id) as first_source,
    (select count(*) from citations where run_id = $1) as n_all
from citations where run_id = $1 and 'yes' in (retracted, concern)
group by standing order by standing
