-- What the runs in kept_run reach with the questions and answers in reached_question and reached_answer, as temporary
-- tables that the other tables are filtered by.

create or replace temp table kept_unfinished as
select run_id from run semi join kept_run using (run_id) where state <> 'finished';

create or replace temp table kept_pin as
select run_id, fingerprint from run_stage semi join kept_run using (run_id)
union
select run_id, fingerprint from run_judge semi join kept_run using (run_id)
union
-- What the encoder of a cascade read first.
select run_stage.run_id, fingerprint.spec ->> 'encoder_verdicts'
from run_stage
semi join kept_run using (run_id)
join fingerprint using (fingerprint)
where (fingerprint.spec ->> 'encoder_verdicts') is not null;

-- A run that ended before its first stage reaches its answers all the same.
create or replace temp table kept_answer as
select distinct answer_key, fingerprint
from reached_answer
left join kept_pin using (run_id);

create or replace temp table kept_match as
select distinct reached_answer.answer_key, reached_question.nugget_set_key, kept_pin.fingerprint
from reached_answer
join reached_question using (run_id, question_id)
join kept_pin using (run_id)
union
-- An earlier reply is held against the nuggets of its conversation.
select answer_key, conversation_nugget_set_key, kept_pin.fingerprint
from reached_answer
join kept_pin using (run_id)
where conversation_nugget_set_key is not null;

-- Texts of claims and sentences: what was searched for.
create or replace temp table kept_words as
select text_key from claim semi join kept_answer using (answer_key, fingerprint)
union
select text_key from answer_sentence semi join kept_answer using (answer_key, fingerprint);

-- What a person edited stays, with what it was before.
create or replace temp table kept_question as
select question_key from reached_question
union
select question_key from nugget_edit;

create or replace temp table kept_set as
select unnest([nugget_set_key, given_set_key]) as nugget_set_key from reached_question
union
select conversation_nugget_set_key from reached_answer
union
select unnest([nugget_set_key, given_set_key, parent_nugget_set_key]) from nugget_edit;

create or replace temp table kept_criteria as
select distinct criteria_set_key from reached_question;

create or replace temp table kept_guidance as
select distinct guidance_set_key from reached_question;

create or replace temp table kept_contexts as
select distinct context_set_key from reached_answer;

create or replace temp table kept_input as
with inputs as (
    select run_id, input_key from run_judge_input
    union all
    select run_id, input_key from run_listwise_input
)

select distinct input_key, fingerprint
from inputs
semi join kept_run using (run_id)
left join kept_pin using (run_id);

-- What the world told stays in its newest form, since later runs ask here first; what came with the data goes
-- with its runs.
create or replace temp table kept_source as
with told as (
    select source_id, arg_max(fetch_no, (told_at, fetch_no)) as fetch_no
    from source
    where origin not in ('document', 'answer', 'supplied')
    group by source_id
)

select source_id, fetch_no, body_digest
from source
semi join (
    from told
    union
    select source_id, fetch_no from run_source semi join kept_run using (run_id)
    union
    select source_id, fetch_no from run_own_text semi join kept_run using (run_id)
) as kept using (source_id, fetch_no);

create or replace temp table kept_fingerprint as
select fingerprint from kept_pin
union
select fingerprint from missing_source
union
select fingerprint from nugget_set semi join kept_set using (nugget_set_key);

-- What dropped runs had set aside, and nobody did since, stays set aside where a kept run asks the same of the same model.
create or replace temp table kept_outcome as
with told as (
    select outcome.* exclude (run_id), run.started_at
    from outcome
    join run using (run_id)
    anti join kept_run using (run_id)
    where outcome.state = 'abstained'
    union all by name
    from pruned_outcome
)

select distinct on (stage, fingerprint, item_key) stage, item_key, fingerprint, state, reason, attempts
from told
semi join kept_pin using (fingerprint)
left join mended_item as mended using (stage, fingerprint, item_key)
where mended.mended_at is null or mended.mended_at < told.started_at
order by started_at desc nulls last;
