-- What people said of one item (a nugget, a criterion) of one answer: one row an item, a list entry an annotator.
-- One row per item of an answer.
create or replace view item_label as
select
    dataset, target, question_id, system, item, any_value(role) as role,
    list(annotator order by annotator) as annotators, list(label order by annotator) as labels
from human_score
where label is not null
group by dataset, target, question_id, system, item;
