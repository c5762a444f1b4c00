-- mart.sentence for the current run: its label, and the retrieved passage that says it most. A sentence is
-- supported when any retrieved passage entails it; unknown when none does and one of them could not be read.
-- One row per question, system and sentence.
create or replace view new_sentence as
with cut as (
    select
        (settings ->> 'supports_at')::double as supports_at,
        (settings ->> 'contradicts_at')::double as contradicts_at
    from current_run
),

labels as (from sentence_label where fingerprint = pinned('label')),

searched as (
    select retrieval.text_key, retrieval.n_found
    from retrieval
    semi join current_corpus using (corpus_key)
    where retrieval.fingerprint = pinned('retrieve')
),

readings as (
    select
        pair.answer_key,
        pair.position,
        -- What is left unread may be the passage that says it.
        case
            when
                bool_or(
                    'supports'
                    = says(score.entailment, score.neutral, score.contradiction, cut.supports_at, cut.contradicts_at)
                )
                then true
            when count(score.premise_key) = count(*) then false
        end as supported,
        max(score.entailment) as entailment,
        first(pair.source_id order by score.entailment desc, pair.rank) filter (score.entailment is not null)
            as source_id,
        first(pair.premise_key order by score.entailment desc, pair.rank) filter (score.entailment is not null)
            as passage_key
    from retrieval_pair as pair
    left join (from pair_score where fingerprint = pinned('entail')) as score using (premise_key, hypothesis_key)
    cross join cut
    group by pair.answer_key, pair.position
)

select
    asked.run_id,
    asked.question_id,
    asked.system,
    's' || (sentence.position + 1) as sentence_id,
    sentence.position,
    sentence.text_key,
    sentence.span_start,
    sentence.span_end,
    labels.label,
    case
        when searched.n_found = 0 then false
        else readings.supported
    end as supported,
    readings.entailment,
    readings.source_id,
    readings.passage_key,
    searched.n_found as n_retrieved
from asked
join current_sentence as sentence using (answer_key)
left join labels on labels.answer_key = sentence.answer_key and labels.position = sentence.position
left join searched on searched.text_key = sentence.text_key
left join readings on readings.answer_key = sentence.answer_key and readings.position = sentence.position;
