-- Landed rows whose id came before, in the order of files and lines; the first of them stays.
-- One row per landed row that is left out.
create or replace view landing_keyed as
with keyed as (
    select
        rowid as row_no,
        *,
        case kind
            when 'question' then [value ->> 'question_id']
            when 'answer' then [value ->> 'question_id', value ->> 'system']
            when 'document' then [value ->> 'id']
            when 'human_score'
                then [
                    value ->> 'question_id', value ->> 'system', value ->> 'annotator', value ->> 'metric',
                    value ->> 'target', value ->> 'judge', value ->> 'item'
                ]
            when 'rationale' then [value ->> 'question_id', value ->> 'system', value ->> 'author']
        end as names
    from landing
    where run_id = getvariable('run_id')
)

select
    *,
    file || ':' || line || coalesce(', item ' || item, '') as place,
    coalesce('item ' || item || ': ', '') as within,
    count(*) over (partition by file, line, item) > 1 as has_company,
    -- For people to read; two rows are the same by their names.
    case
        when kind in ('question', 'answer', 'document') and list_count(names) < len(names) then null
        else array_to_string(names, '/')
    end as row_key
from keyed;

create or replace view landing_repeats as
with numbered as (
    select
        *,
        row_number() over same_key as nth,
        first_value(place) over same_key as first_place,
        first_value(value::varchar) over same_key as first_value
    from landing_keyed
    where row_key is not null
    window same_key as (partition by kind, names order by row_no)
)

select
    row_no,
    run_id,
    kind,
    row_key,
    file,
    line,
    -- Records that hold a question, or a document, beside each answer repeat it word for word: that is no fault.
    case
        when kind in ('question', 'document') and value::varchar = first_value and has_company then null
        when kind = 'human_score' and value::varchar = first_value then null
        when kind = 'human_score' then 'the same is scored twice'
        when kind = 'rationale' and value::varchar = first_value then null
        when kind = 'rationale' then 'the author says two things of one answer'
        when kind = 'question' then 'question_id is repeated'
        when kind = 'answer' then 'question_id and system are repeated'
        else 'document id is repeated'
    end as rule,
    within || row_key || ' was read before, at ' || first_place as observed,
    'keep one of the rows, or give each its own id' as advice,
    value::varchar as value
from numbered
where nth > 1;

-- Answers to questions that were not accepted.
create or replace view landing_strangers as
select
    landed.row_no,
    landed.run_id,
    landed.kind,
    landed.row_key,
    landed.file,
    landed.line,
    'the question is unknown' as rule,
    landed.within || 'question_id ' || (landed.value ->> 'question_id') as observed,
    'add the question to questions.*, or correct the id; if the question is in quarantine, mend it first' as advice,
    landed.value::varchar as value
from landing_keyed as landed
anti join run_question
    on
        run_question.run_id = getvariable('run_id')
        and run_question.question_id = (landed.value ->> 'question_id')
where landed.kind = 'answer' and (landed.value ->> 'question_id') is not null;
