-- What anybody's last word calls retracted, or gives another notice, by whichever of its names it is cited: who knows of
-- one is believed against who does not, and nobody but its teller takes it back. Counted is what was told until then, and
-- what a run has pinned, so that finished runs keep to what was known.
-- One row per name of a source.
create or replace macro told_notices(until, of_run) as table
with tellers as (
    select
        source_id,
        unnest(
            case origin
                when 'pubmed and crossref' then ['pubmed', 'crossref']
                when 'pmc' then ['pubmed']
                else [origin]
            end
        ) as teller,
        fetch_no,
        told_at
    from source
    where
        record is not null
        and (
            told_at <= until
            or exists (
                from run_source as pin
                where
                    pin.run_id = of_run
                    and pin.source_id = source.source_id
                    and pin.fetch_no = source.fetch_no
            )
        )
),

last_words as (
    select source_id, teller, arg_max(fetch_no, (told_at, fetch_no)) as fetch_no
    from tellers
    group by source_id, teller
),

warned as (
    select distinct source.*
    from source
    semi join last_words using (source_id, fetch_no)
    where 'yes' in (retracted, concern, erratum)
),

named as (
    select source_id, retracted, concern, erratum from warned
    union all
    select unnest((record ->> '$.identifiers[*]')::varchar[]) as source_id, retracted, concern, erratum from warned
)

select
    source_id,
    bool_or(retracted = 'yes') as retracted,
    bool_or(concern = 'yes') as concern,
    bool_or(erratum = 'yes') as erratum
from named
group by source_id;
