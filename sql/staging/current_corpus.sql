-- The passages of the documents that came with the data, as a collection to retrieve from.
-- One row per document and passage.
create or replace view current_corpus as
with passages as (
    select passage.*, source.title
    from current_passage as passage
    join current_source as source using (source_id, fetch_no)
    -- Every passage is searched together with its title.
    where starts_with(passage.source_id, 'document:') and passage.label is distinct from 'TITLE'
),

collection as (
    select
        md5(
            string_agg(concat_ws(' ', source_id, position, text_key, title), chr(10) order by source_id, position)
        ) as corpus_key
    from passages
)

select collection.corpus_key, passages.source_id, passages.position, passages.title, passages.text_key, text.text
from passages
cross join collection
join text using (text_key);
