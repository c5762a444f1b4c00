-- Whether the listwise judge likes a place: how far points differ from the system's own mean there.
-- One row per run, judge, number of answers and place.
create or replace view ranking_places as
select ranking_place.*, comparing_standing.judge_note
from mart.ranking_place
left join comparing_standing using (run_id);
