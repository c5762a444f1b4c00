-- Citations in one state, by answer: what they name, how many there are.
select
    if($2 = 'untraceable', citation, source_id) as name,
    system,
    question_id,
    sum(count(*)) over ()::int as n_citations,
    count(*) over ()::int as n_places,
    (select count(*) from citations where run_id = $1) as n_all
from citations where run_id = $1 and state = $2
group by name, system, question_id order by system, question_id, name limit $3
