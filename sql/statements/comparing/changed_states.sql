-- Return how many states of nuggets and of citations two runs of the same data share, and how many of them differ.
with nuggets as (
    select count(*) as n, count(*) filter (first.state is distinct from final.state) as n_changed
    from nugget_states as first
    join nugget_states as final using (question_id, system, nugget_id)
    where first.run_id = $1 and final.run_id = $2
),

citations as (
    select count(*) as n, count(*) filter (first.state is distinct from final.state) as n_changed
    from citation_verdicts as first
    join citation_verdicts as final using (question_id, system, claim_id, citation, source_id)
    where first.run_id = $1 and final.run_id = $2
)

select
    nuggets.n as n_nuggets,
    nuggets.n_changed as n_nuggets_changed,
    citations.n as n_citations,
    citations.n_changed as n_citations_changed
from nuggets
cross join citations
