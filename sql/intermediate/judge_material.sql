-- What a judge may be shown: the answer with its context, the sources it cites, in order of citation, and behind them
-- what it lists and does not cite. An answer that could not be taken apart is shown to nobody: what it lists is not known.
-- One row per question and system that answered.
create or replace view judge_material as
with sources as (
    select
        cited.answer_key,
        cited.source_id,
        first(citation.marker order by citation.claim_position, citation.ordinal) as marker,
        min(citation.claim_position) as first_cited,
        any_value(coalesce(cited.title, source.title)) as title,
        any_value(coalesce(cited.url, source.url)) as url,
        any_value(cited.content) as content,
        any_value(cited.origin) as origin
    from cited_source as cited
    left join current_citation as citation using (answer_key, source_id)
    left join current_source as source
        on source.source_id = cited.source_id and source.fetch_no is not distinct from citation.fetch_no
    where cited.fingerprint = pinned('decompose')
    group by cited.answer_key, cited.source_id
),

reference_lists as (
    select
        answer_key,
        list(
            {
                'source_id': source_id, 'marker': marker, 'title': title,
                'url': url, 'content': content, 'origin': origin
            }
            order by first_cited nulls last, source_id
        ) as sources
    from sources
    group by answer_key
)

select
    answer.question_id,
    answer.system,
    answer.text,
    coalesce(answer.asked, question.question) as question,
    question.profile,
    nullif(concat_ws(chr(10) || chr(10), question.messages, answer.history), '') as messages,
    question.guidance,
    question.risk_level,
    decomposition.has_references,
    reference_lists.sources
from current_answer as answer
join current_question as question using (question_id)
join decomposition
    on decomposition.answer_key = answer.answer_key and decomposition.fingerprint = pinned('decompose')
left join reference_lists on reference_lists.answer_key = answer.answer_key
-- Of a conversation the last reply, with all that was said before it.
where not answer.is_earlier_turn;
