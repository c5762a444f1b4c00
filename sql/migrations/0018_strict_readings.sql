-- Whether the judge's reply kept to its form, so that the strict reader could read it; NULL for orders without points and
-- in those from before this was kept.
alter table listwise_ranking add column is_strict boolean;
alter table mart.ranking add column is_strict boolean;
