-- Answers whose nuggets the language model assigns.
-- One row per distinct answer and nugget set.
create or replace view assign_items as
select item_key, answer_key, nugget_set_key
from shortlist_items
semi join nugget using (nugget_set_key);

-- Those of which a nugget has no verdict under the pinned fingerprint, and the model did not abstain.
create or replace view assign_pending as
with sizes as (select nugget_set_key, count(*) as n_nuggets from nugget group by nugget_set_key),

done as (
    select answer_key, nugget_set_key, count(*) as n_done
    from nugget_assignment
    where fingerprint = pinned('assign')
    group by answer_key, nugget_set_key
)

select assign_items.*, text.text
from assign_items
join sizes using (nugget_set_key)
join answer using (answer_key)
join text using (text_key)
left join done using (answer_key, nugget_set_key)
anti join (from set_aside where stage = 'assign' and fingerprint = pinned('assign')) using (item_key)
where coalesce(done.n_done, 0) < sizes.n_nuggets
order by assign_items.item_key;
