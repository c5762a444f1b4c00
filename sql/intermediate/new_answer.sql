-- mart.answer for the current run. An answer is `refused` when it asserts nothing and says so.
-- It is `failed` when the system could not be asked, or its row is in quarantine: that is no silence, and nothing is
-- scored.
-- One row per question and system, those that did not answer included.
create or replace view new_answer as
with decomposed as (from decomposition where fingerprint = pinned('decompose'))

select
    asked.run_id,
    asked.question_id,
    asked.system,
    case
        when unasked.reason is not null then 'failed'
        when asked.answer_key is null then 'not_answered'
        when is_blank(asked.text) then 'empty'
        when
            coalesce(decomposed.n_claims, 0) = 0
            and regexp_matches(
                asked.text,
                '\b(sorry|unable|can[''’]?t|cannot|not able|decline[sd]?|won[''’]t|will not)\b',
                'i'
            )
            then 'refused'
        else 'answered'
    end as state,
    asked.text_key,
    coalesce(decomposed.n_claims, 0) as n_claims,
    coalesce(decomposed.n_non_claims, 0) as n_non_claims,
    coalesce(decomposed.n_characters, 0) as n_characters,
    coalesce(decomposed.n_characters_covered, 0) as n_characters_covered,
    coalesce(decomposed.has_references, false) as has_references
from asked
left join decomposed using (answer_key)
left join run_unasked as unasked using (run_id, question_id, system);
