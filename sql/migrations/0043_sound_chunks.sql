-- Chunks of rows that kept every rule, so that the same rows are not held against the same rules again.
create table sound_chunk (
    digest varchar primary key, -- of the rows, their table, and the code and library that hold the rules
    found_at timestamptz not null
);
