-- Answers whose sentences a language model labels.
-- One row per distinct answer that says anything.
create or replace view label_items as
select distinct answer_key as item_key from current_sentence;

-- Those of which a sentence has no label under the pinned fingerprint, and the model did not abstain.
create or replace view label_pending as
with sizes as (select answer_key, count(*) as n_sentences from current_sentence group by answer_key),

done as (
    select answer_key, count(*) as n_done
    from sentence_label
    where fingerprint = pinned('label')
    group by answer_key
)

select sizes.answer_key as item_key, sizes.answer_key, answer.question
from sizes
join answer using (answer_key)
left join done using (answer_key)
anti join (from set_aside where stage = 'label' and fingerprint = pinned('label')) as given_up
    on given_up.item_key = sizes.answer_key
where coalesce(done.n_done, 0) < sizes.n_sentences
order by item_key;
