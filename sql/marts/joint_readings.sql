-- What was read of a claim beyond one source at a time: all its sources together, all without one (ALCE's two tests), and
-- a source beside a part of the claim, which decides `partial`. Only what can change a number is read. A language
-- model's call about a reading has `passage_key || statement_key` as its item_key in model_calls.
-- One row per run, question, system, claim and reading.
create or replace view joint_readings as
select
    reading.* exclude (premise_key, hypothesis_key),
    statement.text as statement,
    premise.text as passage,
    reading.premise_key as passage_key,
    reading.hypothesis_key as statement_key
from mart.joint_reading as reading
join text as statement on statement.text_key = reading.hypothesis_key
left join text as premise on premise.text_key = reading.premise_key;
