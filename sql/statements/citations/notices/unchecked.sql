-- Say how many citations could not be checked, why most of them could not, and what to do.
select
    citations.reason,
    count(*) as n_citations,
    sum(count(*)) over ()::int as n_unchecked,
    (select count(*) from citations where run_id = $1) as n_all,
    bool_or(outcome.state = 'failed') as is_asked_again
from citations
left join outcome
    on outcome.run_id = citations.run_id and outcome.stage = 'fetch' and outcome.item_key = citations.source_id
where citations.run_id = $1 and citations.state = 'unverifiable'
group by citations.reason order by n_citations desc, citations.reason limit 1
