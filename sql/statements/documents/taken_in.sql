-- Return what earlier documents of the run said under these identifiers, by identifier.
select source.source_id, any_value(source.title) as title, any_value(source.url) as url,
list({'label': if(passage.label = 'ABSTRACT', '', passage.label), 'text': text.text}
order by passage.position) as sections
from current_source as source join current_passage as passage using (source_id, fetch_no)
join text using (text_key)
where source.source_id in (select unnest($names::varchar[])) and passage.label is distinct from 'TITLE'
group by source.source_id
