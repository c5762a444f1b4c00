-- mart.answer for the current run. An answer is `refused` when it asserts nothing and says so; a reply of a conversation that
-- asks the user something does not refuse.
-- It is `failed` when the system could not be asked, or its row is in quarantine: that is no silence, and nothing is
-- scored. Of one that could not be taken apart the counts are NULL, and no more is known of its state than that it
-- is there.
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
            decomposed.n_claims = 0
            and regexp_matches(
                asked.text,
                '\b(sorry|unable|can[''’]?t|cannot|not able|decline[sd]?|won[''’]t|will not)\b',
                'i'
            )
            and not (asked.is_reply and contains(asked.text, '?'))
            then 'refused'
        else 'answered'
    end as state,
    asked.text_key,
    if(asked.answer_key is null, 0, decomposed.n_claims) as n_claims,
    if(asked.answer_key is null, 0, decomposed.n_non_claims) as n_non_claims,
    if(asked.answer_key is null, 0, decomposed.n_characters) as n_characters,
    if(asked.answer_key is null, 0, decomposed.n_characters_covered) as n_characters_covered,
    if(asked.answer_key is null, false, decomposed.has_references) as has_references
from asked
left join decomposed using (answer_key)
left join run_unasked as unasked using (run_id, question_id, system);
