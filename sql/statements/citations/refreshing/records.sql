select source_id, record::varchar as record
from newest_source
where source_id in (select unnest($names::varchar[]))
order by source_id
