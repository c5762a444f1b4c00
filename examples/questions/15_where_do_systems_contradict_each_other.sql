-- On which facts does one system say the opposite of another? Nuggets that one covers and another turns around.
select
    question_id,
    nugget,
    list(system order by system) filter (state = 'covered') as covered_by,
    list(system order by system) filter (state = 'contradicted') as turned_around_by,
    importance
from nugget_states
semi join latest_run using (run_id)
group by run_id, question_id, nugget_id, nugget, importance
having covered_by is not null and turned_around_by is not null
order by importance = 'vital' desc, question_id, nugget;
