-- What a source as a whole says of a claim: the passage that speaks most clearly, whichever way.
-- A source that may decide in several places is judged with the same caution as a passage read in several windows:
-- the more such places there are, the more one finds by chance. A passage that is neutral by more than half is no such
-- place, so that a sentence says the same in a short document and in a long one about other matters.
-- One of its passages may say the opposite of what it says as a whole; that passage is named beside it.
-- One row per distinct claim text, and source and fetch with text.
create or replace view source_verdict as
-- A stored verdict that holds no number (NaN) is none: its passage is unread.
with scores as (
    from pair_score
    where fingerprint = pinned('entail') and isfinite(entailment + neutral + contradiction)
),

abstained as (from set_aside where stage = 'entail' and fingerprint = pinned('entail')),

failed as (
    select item_key, reason
    from outcome
    where run_id = getvariable('run_id') and stage = 'entail' and state = 'failed'
),

pairs as (
    select distinct hypothesis_key, source_id, fetch_no, passage_position, passage_label, premise_key from citation_pair
),

places as (
    select
        hypothesis_key,
        source_id,
        fetch_no,
        greatest(1, count(distinct premise_key) filter (scores.neutral < 0.5)) as n_places
    from pairs
    left join scores using (premise_key, hypothesis_key)
    group by hypothesis_key, source_id, fetch_no
),

cut as (
    select
        (settings ->> 'supports_at')::double as supports_at,
        (settings ->> 'contradicts_at')::double as contradicts_at,
        coalesce(
            (
                select (spec -> 'reading' ->> 'caution')::double
                from fingerprint
                where fingerprint = pinned('entail')
            ), 0
        ) as caution
    from current_run
),

weighed as (
    select
        pairs.*,
        scores.*,
        places.n_places,
        abstained.reason as abstained_because,
        failed.reason as failed_because,
        pow(places.n_places, -cut.caution) as factor
    from pairs
    join places using (hypothesis_key, source_id, fetch_no)
    cross join cut
    left join scores using (premise_key, hypothesis_key)
    left join abstained on abstained.item_key = pairs.premise_key || pairs.hypothesis_key
    left join failed on failed.item_key = pairs.premise_key || pairs.hypothesis_key
),

lowered as (
    select
        * exclude (entailment, neutral, contradiction),
        entailment * factor / (entailment * factor + neutral + contradiction * factor) as entailment,
        neutral / (entailment * factor + neutral + contradiction * factor) as neutral,
        contradiction * factor / (entailment * factor + neutral + contradiction * factor) as contradiction
    from weighed
),

read_passages as (
    select lowered.*, says(entailment, neutral, contradiction, supports_at, contradicts_at) as says
    from lowered
    cross join cut
),

maxima as (
    select
        hypothesis_key,
        source_id,
        fetch_no,
        max(entailment) as entailment,
        max(contradiction) as contradiction,
        count(*) filter (says = 'supports') as n_supporting,
        count(*) filter (says = 'contradicts') as n_contradicting,
        any_value(n_places) as n_places,
        sum(n_windows)::bigint as n_windows,
        avg(coalesce(coverage, 0)) as coverage,
        count(*) filter (entailment is null) > 0 as unread_in_part,
        any_value(abstained_because) as abstained_because,
        any_value(failed_because) as failed_because,
        bool_and(coalesce(passage_label, '') = 'TITLE') as title_only,
        bool_and(remark is not null) filter (entailment is not null) as remarked_throughout
    from read_passages
    group by hypothesis_key, source_id, fetch_no
),

-- The passage that decides holds the larger of both maxima, so its neutral share is the one to hold against it.
-- Where none says anything, one that was found to be on the matter is shown before one that was not.
deciding_passages as (
    select
        passage.hypothesis_key,
        passage.source_id,
        passage.fetch_no,
        {
            'premise_key': passage.premise_key, 'label': passage.passage_label, 'neutral': passage.neutral,
            'sentence_start': passage.sentence_start, 'sentence_end': passage.sentence_end,
            'remark': if(maxima.remarked_throughout or passage.says <> 'neutral', passage.remark, null)
        } as deciding
    from read_passages as passage
    join maxima using (hypothesis_key, source_id, fetch_no)
    where passage.entailment is not null
    qualify row_number() over (
        partition by passage.hypothesis_key, passage.source_id, passage.fetch_no
        order by
            if(maxima.entailment >= maxima.contradiction, passage.entailment, passage.contradiction) desc,
            passage.remark is not null,
            passage.sentence_start is null,
            passage.passage_position
    ) = 1
),

said as (
    select
        maxima.*,
        passage.deciding,
        says(maxima.entailment, passage.deciding.neutral, maxima.contradiction, supports_at, contradicts_at) as state
    from maxima
    left join deciding_passages as passage using (hypothesis_key, source_id, fetch_no)
    cross join cut
),

-- Few sources have passages on both sides, so only those few are gone through once more.
opposing_passages as (
    select
        passage.hypothesis_key,
        passage.source_id,
        passage.fetch_no,
        {
            'premise_key': passage.premise_key, 'label': passage.passage_label,
            'sentence_start': passage.sentence_start, 'sentence_end': passage.sentence_end
        } as opposing
    from read_passages as passage
    join (from maxima where n_supporting > 0 and n_contradicting > 0) as torn using (hypothesis_key, source_id, fetch_no)
    where passage.says = if(torn.entailment >= torn.contradiction, 'contradicts', 'supports')
    qualify row_number() over (
        partition by passage.hypothesis_key, passage.source_id, passage.fetch_no
        order by
            if(passage.says = 'supports', passage.entailment, passage.contradiction) desc,
            passage.sentence_start is null,
            passage.passage_position
    ) = 1
)

-- A source of which a passage is still unread has not said that it is neutral: what was lost might have decided.
select
    * exclude (entailment, contradiction, state, deciding, opposing),
    if(undecided, null, entailment) as entailment,
    if(undecided, null, contradiction) as contradiction,
    if(undecided, null, state) as state,
    if(undecided, null, deciding) as deciding,
    if(state in ('supports', 'contradicts'), opposing, null) as opposing
from (select *, unread_in_part and state = 'neutral' as undecided from said)
left join opposing_passages using (hypothesis_key, source_id, fetch_no);
