-- Say how much of a stage abstained and why most of it did; scores are made of what is left.
select stage, sum(count(*)) over (partition by stage)::int as n_abstained, reason
from outcome where run_id = $1 and state = 'abstained'
group by stage, reason
qualify row_number() over (partition by stage order by count(*) desc, reason) = 1
