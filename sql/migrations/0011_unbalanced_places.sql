-- A listwise judge of which no question has all orders scored has no effect of place, and says why.
alter table mart.ranking_place alter column mean_residual drop not null;
alter table mart.ranking_place alter column p_value drop not null;
alter table mart.ranking_place add column reason varchar;
