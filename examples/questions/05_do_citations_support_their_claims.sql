-- Of the citations that could be read, how many support their claim, by system and by what was read of the source?
select
    system,
    coalesce(text_kind, 'nothing') as read,
    count(*) as n_citations,
    count(*) filter (state = 'supports') as supports,
    count(*) filter (state = 'partial') as partial,
    count(*) filter (state = 'neutral') as neutral,
    count(*) filter (state = 'contradicts') as contradicts,
    count(*) filter (state in ('supports', 'partial', 'neutral', 'contradicts')) as n_checked,
    round(
        count(*) filter (state = 'supports')
        / nullif(count(*) filter (state in ('supports', 'partial', 'neutral', 'contradicts')), 0), 3
    ) as share_supporting
from citation_verdicts
semi join latest_run using (run_id)
group by all
order by system, n_citations desc;
