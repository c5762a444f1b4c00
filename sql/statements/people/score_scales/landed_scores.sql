-- Return the run's landed human scores in numbers, but for those that name their scale and those of parts of answers.
select
    rowid as row_no, file, line, item as place_item, value as landed_value,
    concat(value ->> 'metric', if((value ->> 'target') = 'answer', '', concat(' of ', value ->> 'judge'))) as metric,
    value ->> 'question_id' as question_id, value ->> 'system' as system, value ->> 'annotator' as annotator,
    try_cast((value ->> 'score') as double) as score
from landing
where
    run_id = getvariable('run_id') and kind = 'human_score' and (value ->> 'scale') is null
    and (value ->> 'target') in ('answer', 'evaluation') and try_cast((value ->> 'score') as double) is not null
order by metric, row_no
