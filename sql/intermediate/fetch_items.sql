-- The sources that the current run's claims cite.
-- One row per source.
create or replace view fetch_items as
select distinct source_id as item_key from current_citation where source_id is not null;

-- Those for which this run has pinned neither a text nor a reason.
create or replace view fetch_pending as
select fetch_items.item_key
from fetch_items
anti join run_source on run_source.run_id = getvariable('run_id') and run_source.source_id = fetch_items.item_key
order by item_key;
