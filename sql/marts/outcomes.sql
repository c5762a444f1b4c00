-- Items that a stage could not score, why, and of which answer: an item is a text, a pair of texts or a source, and several
-- answers may share it; of these the first is named. A source that nobody could be asked for, as with --offline, was not
-- tried: it has no row here, and its citations are unverifiable in citation_verdicts.
-- One row per run, stage and item.
create or replace view outcomes as
with items as (
    select run_id, question_id, system, answer_key as part_key from run_answer
    union all
    select answer.run_id, answer.question_id, answer.system, answer.answer_key || question.nugget_set_key
    from run_answer as answer
    join run_question as question using (run_id, question_id)
    union all
    select run_id, question_id, system, input_key from run_judge_input
    union all
    select run_id, question_id, system, text_key from mart.claim
    union all
    select run_id, question_id, system, evidence_key from mart.claim where evidence_key is not null
    union all
    select run_id, question_id, system, text_key from mart.sentence
    union all
    select run_id, question_id, system, source_id from mart.citation
    union all
    -- A criterion of an answer is named by both their keys.
    select answer.run_id, answer.question_id, answer.system, answer.answer_key || criterion.text_key
    from run_answer as answer
    join mart.criterion as criterion using (run_id, question_id, system)
    union all
    -- These are of a question, whoever answers it.
    select run_id, question_id, null, nugget_set_key from run_question
    union all
    select run_id, question_id, null, input_key from run_listwise_input
),

-- A pair is named by the keys of its two texts, a mark by those of the input and of the judge.
parts as (
    select
        run_id,
        stage,
        item_key,
        unnest(
            case stage
                when 'entail' then [item_key[:32], item_key[33:]]
                when 'judge' then [split_part(item_key, ':', 1)]
                else [item_key]
            end
        ) as part_key
    from outcome
),

places as (
    select
        parts.run_id,
        parts.stage,
        parts.item_key,
        first(items.question_id order by items.question_id, items.system) as question_id,
        first(items.system order by items.question_id, items.system) as system,
        count(distinct (items.question_id, items.system)) as n_places
    from parts
    join items using (run_id, part_key)
    group by parts.run_id, parts.stage, parts.item_key
)

select outcome.*, places.question_id, places.system, coalesce(places.n_places, 0) as n_places
from outcome
left join places using (run_id, stage, item_key);
