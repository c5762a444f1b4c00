-- The passages of the pinned evidence.
-- One row per source, fetch and passage.
create or replace view current_passage as
select passage.source_id, passage.fetch_no, passage.position, passage.label, passage.text_key
from current_source
join passage using (source_id, fetch_no)
where current_source.state = 'found';
