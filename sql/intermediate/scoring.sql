-- Macros for the SQL of metrics: a score is a numerator, a denominator, a value and, where there is none, the reason and
-- the status: scored; not_applicable where there is nothing to measure; abstained or failed where something was not done.

-- Why there is no value, and whose doing it is: of the answer itself, of a model that abstained, of the world.
create or replace macro not_applicable(why) as {'reason': why::varchar, 'status': 'not_applicable'};

create or replace macro undone(why, whose) as {'reason': why::varchar, 'status': coalesce(whose, 'failed')};

create or replace macro ratio(over, under, why_none) as {
    'numerator': over::double,
    'denominator': under::double,
    'value': case when under > 0 then over::double / under end,
    'reason': case when under is null or under = 0 then why_none.reason end,
    'status': case when under > 0 then 'scored' else why_none.status end
};

create or replace macro unavailable(why_none) as {
    'numerator': null::double,
    'denominator': null::double,
    'value': null::double,
    'reason': why_none.reason,
    'status': why_none.status
};

create or replace macro measured(amount, why_none) as {
    'numerator': amount::double,
    'denominator': case when amount is not null then 1.0 end,
    'value': amount::double,
    'reason': case when amount is null then coalesce(why_none.reason, 'not scored') end,
    'status': case when amount is not null then 'scored' else coalesce(why_none.status, 'failed') end
};

-- A mean that is below 0 is 0; one that is not there stays so, which greatest() would make 0.
create or replace macro clipped(amount) as if(amount < 0, 0, amount);
