-- What became of the citations by the kind of text that was read: titles, abstracts, full texts and supplied documents
-- apart, since more text gives more chances of finding a claim in it. Pooled over questions.
-- One row per run, system and kind of text; `all` is every citation, the unread ones included.
create or replace view citation_rates as
with citations as (from mart.citation),

by_kind as (
    select *, text_kind as kind from citations where text_kind is not null
    union all by name
    select *, 'all' as kind from citations
)

select
    run_id,
    system,
    kind as text_kind,
    count(*) as n_citations,
    count(*) filter (state = 'supports') as n_supports,
    count(*) filter (state = 'partial') as n_partial,
    count(*) filter (state = 'neutral') as n_neutral,
    count(*) filter (state = 'contradicts') as n_contradicts,
    count(*) filter (state = 'not_found') as n_not_found,
    count(*) filter (state = 'untraceable') as n_untraceable,
    count(*) filter (state = 'unverifiable') as n_unverifiable,
    count(*) filter (state = 'supports') / nullif(count(*) filter (state <> 'unverifiable'), 0) as supports_rate,
    count(*) filter (state = 'partial') / nullif(count(*) filter (state <> 'unverifiable'), 0) as partial_rate,
    count(*) filter (state = 'contradicts')
    / nullif(count(*) filter (state in ('supports', 'partial', 'neutral', 'contradicts')), 0) as contradicts_rate,
    count(*) filter (opposing_passage_key is not null) as n_opposed,
    count(*) filter (retracted = 'yes') as n_retracted
from by_kind
group by run_id, system, kind
order by run_id, system, kind;
