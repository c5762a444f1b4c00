-- Say how many claims stand as the rules cut them though a model was asked, and why most of them do.
select
    split_reason,
    sum(count(*)) over ()::int as n_unsplit,
    (select count(*) from claims where run_id = $1 and kind = 'claim') as n_claims,
    (select count(*) from outcome where run_id = $1 and stage = 'decompose' and state = 'abstained') as n_answers
from claims where run_id = $1 and split_reason is not null
group by split_reason order by count(*) desc, split_reason limit 1
