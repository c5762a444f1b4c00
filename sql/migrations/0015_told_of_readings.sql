-- How a judge's reply had to be read: marks written as text, a justification of one sentence, repaired JSON.
alter table judgement add column notes varchar;
alter table incomplete_judgement add column notes varchar;
alter table mart.judgement add column notes varchar;

-- Nothing is known of the parts of an answer that could not be taken apart: no claims are not none, and what it lists
-- is not nothing.
alter table mart.answer alter column n_claims drop not null;
alter table mart.answer alter column n_non_claims drop not null;
alter table mart.answer alter column n_characters drop not null;
alter table mart.answer alter column n_characters_covered drop not null;
alter table mart.answer alter column has_references drop not null;
alter table mart.judgement alter column has_references drop not null;
alter table mart.judgement alter column guidance_given drop not null;
