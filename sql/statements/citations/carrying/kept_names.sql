select source_id from newest_source anti join gone using (source_id)
union select source_id from missing_source
union select source_id from withdrawn
order by source_id
