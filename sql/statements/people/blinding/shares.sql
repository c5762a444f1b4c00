-- Return how often each is preferred, field by field: over all annotators and for each, with the spread between.
select annotator, avg(case preferred when 'a' then 1.0 when 'tie' then 0.5 else 0.0 end) as share_a,
count(*) as n, count(*) filter (preferred = 'a') as a, count(*) filter (preferred = 'tie') as tie,
count(*) filter (preferred = 'b') as b
from evaluation_preference where run_a = $a and run_b = $b and ($field = 'all' or field = $field)
group by annotator order by annotator
