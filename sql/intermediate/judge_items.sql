-- What each judge of the current run is shown.
-- One row per distinct input and judge.
create or replace view judge_items as
with shown as (
    select distinct judge_input_key as input_key from current_answer where judge_input_key is not null
)

select
    shown.input_key || ':' || run_judge.fingerprint as item_key,
    shown.input_key,
    run_judge.judge_no,
    run_judge.fingerprint
from shown
cross join run_judge
-- Marks from evidence are made when the run is frozen; nobody is asked.
where run_judge.run_id = getvariable('run_id') and run_judge.judge <> 'evidence';

-- Inputs of which a judge owes a sample: neither are there marks of it, nor has the judge abstained on it.
create or replace view judge_pending as
with abstained as (
    from incomplete_judgement
    semi join (from set_aside where stage = 'judge' and fingerprint = pinned('judge')) as told
        on told.item_key = incomplete_judgement.input_key || ':' || incomplete_judgement.fingerprint
),

settled as (
    select told.input_key, told.fingerprint
    from (
        select input_key, fingerprint, sample_no from judgement
        union
        select input_key, fingerprint, sample_no from abstained
    ) as told
    cross join current_run
    where told.sample_no < (current_run.settings ->> 'samples')::integer
    group by all
    having count(*) = any_value((current_run.settings ->> 'samples')::integer)
)

select judge_items.item_key, judge_items.input_key, judge_items.judge_no, judge_input.input
from judge_items
join judge_input using (input_key)
anti join settled
    on settled.input_key = judge_items.input_key and settled.fingerprint = judge_items.fingerprint
order by judge_items.judge_no, judge_items.item_key;
