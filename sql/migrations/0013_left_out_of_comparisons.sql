-- How many passages of each answer spoke to the judge and were not shown to it, by place; NULL where none was looked for.
alter table listwise_ranking add column n_left_out integer[];
alter table mart.ranking add column n_left_out integer;
