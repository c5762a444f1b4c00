-- The user's prices as they were when models were asked outside of a run; NULL where none was known.
create table asking_price (
    model varchar not null,
    told_at timestamptz not null,
    prompt_per_million double,
    completion_per_million double,
    currency varchar
);
