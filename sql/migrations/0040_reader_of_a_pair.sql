-- Which of a cascade's readers gave a verdict; null where one model read every pair.
alter table pair_score add column reader varchar;
