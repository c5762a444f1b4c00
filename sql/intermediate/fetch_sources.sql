-- Where a pending source can be had without asking anybody: from the answer itself, or from an earlier fetch.
-- One row per pending source and answer that carries its text.
create or replace view fetch_carried as
select distinct on (cited.source_id) cited.source_id, cited.title, cited.url, cited.content
from fetch_pending
join cited_source as cited on cited.source_id = fetch_pending.item_key
join decompose_items on decompose_items.item_key = cited.answer_key
where cited.fingerprint = pinned('decompose') and trim(cited.content) <> ''
order by cited.source_id, length(cited.content) desc, cited.answer_key;

-- One row per pending source that was fetched before; the newest fetch.
create or replace view fetch_cached as
select source.source_id, max(source.fetch_no) as fetch_no
from fetch_pending
join source on source.source_id = fetch_pending.item_key
where source.origin not in ('document', 'answer')
group by source.source_id;

-- One row per pending source that the world was asked for before, and answered without it.
create or replace view fetch_known_missing as
select set_aside.item_key as source_id, set_aside.reason
from fetch_pending
join set_aside using (item_key)
where set_aside.stage = 'fetch' and set_aside.state = 'not_found' and set_aside.fingerprint = pinned('fetch');
