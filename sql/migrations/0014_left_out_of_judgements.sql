-- How many passages of the answer spoke to its judge, which read it without them and with what they tell besides.
-- NULL where none was looked for: in marks from before they were.
alter table judgement add column n_left_out integer;
alter table incomplete_judgement add column n_left_out integer;
alter table mart.judgement add column n_left_out integer;
