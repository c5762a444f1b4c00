-- How many passages of the answer spoke to its judge, which read it without them and with what they tell besides.
-- NULL where none was looked for: in marks from before they were.
alter table judgement add column n_left_out integer;
alter table incomplete_judgement add column n_left_out integer;
alter table mart.judgement add column n_left_out integer;

-- Whether an answer is missing because its row is in quarantine, and not because the system could not be asked.
alter table run_unasked add column in_quarantine boolean default false;
