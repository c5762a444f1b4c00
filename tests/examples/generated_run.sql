-- A generated run, table by table. The variables g_run, g_questions, g_systems, g_nuggets, g_claims, g_width and
-- g_words say what it is called and how large it is; `chance` draws a number from 0 to 1 from a row's place.
create or replace temp macro chance(a, b, c, salt) as (hash(a::bigint * 1000003 + b * 1009 + c, salt) % 10000) / 10000.0;
create or replace temp table g_question as
select q::integer as q, printf('q%05d', q) as question_id, md5('question ' || q) as question_key, md5('set ' || q) as nugget_set_key
from range(getvariable('g_questions')) as numbers(q);
create or replace temp table g_answer as
select q, s::integer as s, question_id, nugget_set_key, printf('system-%02d', s + 1) as system,
    md5('answer ' || q || ' ' || s) as answer_key, md5('answer text ' || q || ' ' || s) as text_key
from g_question cross join range(getvariable('g_systems')) as numbers(s);
create or replace temp table g_claim as
select q, s, answer_key, c::integer as c, md5('claim ' || q || ' ' || s || ' ' || c) as text_key,
    rpad(printf('%s says of %s, point %d: ', system, question_id, c + 1) || getvariable('g_words'), getvariable('g_width')::integer - 5, '.')
    || ' [' || (c + 1) || '].' as text,
    chance(q, s, c, 'cites') as luck
from g_answer cross join range(getvariable('g_claims')) as numbers(c);

insert or ignore into text by name
select text_key, rpad(text, getvariable('g_width')::integer, ' ') as text from g_claim;
insert or ignore into text by name
select g_answer.text_key, string_agg(rpad(g_claim.text, getvariable('g_width')::integer, ' '), ' ' order by c) as text
from g_answer join g_claim using (answer_key) group by g_answer.text_key;
insert or ignore into text by name
select md5('nugget ' || q || ' ' || n) as text_key, printf('Nugget %d of %s: %s', n + 1, question_id, getvariable('g_words')[1:60]) as text
from g_question cross join range(getvariable('g_nuggets')) as numbers(n);
insert or ignore into text by name
select md5('passage ' || q || ' ' || c) as text_key, printf('Abstract %d on %s. ', c + 1, question_id) || repeat(getvariable('g_words') || '. ', 6) as text
from g_question cross join range(getvariable('g_claims')) as numbers(c);

insert or ignore into question by name
select question_key, printf('What is known of matter %d?', q) as question, printf('Of matter %d: %s.', q, getvariable('g_words')) as reference_answer,
    ['cardiology', 'oncology', 'nephrology'][q % 3 + 1] as category, ['low', 'high'][q % 2 + 1] as risk_level from g_question;
insert or ignore into nugget_set by name
select nugget_set_key, 'given' as origin, timestamptz '2026-01-01' as created_at from g_question;
insert or ignore into nugget by name
select nugget_set_key, n::integer as position, md5('nugget ' || q || ' ' || n) as text_key, if(n < 4, 'vital', 'okay') as importance,
    'given' as origin, 'data' as made_by
from g_question cross join range(getvariable('g_nuggets')) as numbers(n);
insert into run_question by name
select getvariable('g_run') as run_id, question_id, question_key, nugget_set_key from g_question;
insert or ignore into answer by name
select answer_key, question_id as question, text_key, '[]' as reference_list, '[]' as cited_spans, '[]' as documents from g_answer;
insert into run_answer by name select getvariable('g_run') as run_id, question_id, system, answer_key from g_answer;

insert or ignore into decomposition by name
select answer_key, 'f-decompose' as fingerprint, getvariable('g_claims') as n_claims, 0 as n_non_claims,
    getvariable('g_claims') * 141 - 1 as n_characters, getvariable('g_claims') * 141 - 1 as n_characters_covered, true as has_references
from g_answer;
insert or ignore into claim by name
select answer_key, 'f-decompose' as fingerprint, c as position, text_key, c * 141 as span_start, c * 141 + 140 as span_end,
    'claim' as kind, true as needs_citation from g_claim;
insert or ignore into citation by name
select answer_key, 'f-decompose' as fingerprint, c as claim_position, 0 as ordinal, '[' || (c + 1) || ']' as marker,
    if(luck < 0.05, null, 'pmid:' || (q * 100 + c)) as source_id from g_claim where c + 1 < getvariable('g_claims');

insert or ignore into source by name
select 'pmid:' || (q * 100 + c) as source_id, 1 as fetch_no, 'pubmed' as origin, 'd' || (q * 100 + c) as content_digest,
    printf('A trial on matter %d', q) as title, '[]' as publication_types, 'https://example.org/' || q as url, 'no' as retracted,
    'no' as concern, 'no' as erratum, timestamptz '2026-01-01' as fetched_at
from g_question cross join range(getvariable('g_claims')) as numbers(c) where chance(q, 0, c, 'known') > 0.06;
insert or ignore into passage by name
select source_id, 1 as fetch_no, 0 as position, md5('passage ' || (split_part(source_id, ':', 2)::bigint // 100) || ' ' || (split_part(source_id, ':', 2)::bigint % 100)) as text_key
from source where source_id in (select 'pmid:' || (q * 100 + c) from g_question cross join range(getvariable('g_claims')) as numbers(c));
insert into run_source by name
select getvariable('g_run') as run_id, 'pmid:' || (q * 100 + c) as source_id, if(source.source_id is null, null, 1) as fetch_no,
    if(source.source_id is null, 'not_found', 'found') as state, if(source.source_id is null, 'PubMed has no such record', null) as reason
from g_question cross join range(getvariable('g_claims')) as numbers(c)
left join source on source.source_id = 'pmid:' || (q * 100 + c);
insert or ignore into pair_score by name
with drawn as (select *, chance(q, s, c, 'read') * (0.6 + 0.4 * (s + 1) / getvariable('g_systems')) as belief from g_claim where c + 1 < getvariable('g_claims'))
select md5('passage ' || q || ' ' || c) as premise_key, text_key as hypothesis_key, 'f-entail' as fingerprint, belief as entailment,
    (1 - belief) * 0.6 as neutral, (1 - belief) * 0.4 as contradiction, 1 as n_windows, 0 as sentence_start, 60 as sentence_end, 1.0 as coverage
from drawn;

insert or ignore into nugget_match by name
with drawn as (
    select *, n::integer as n, chance(q, s, n, 'state') - 0.5 * (s + 1) / getvariable('g_systems') as luck
    from g_answer cross join range(getvariable('g_nuggets')) as numbers(n)
)
select answer_key, nugget_set_key, 'f-match' as fingerprint, n as position,
    case when luck < 0.2 then 'covered' when luck < 0.3 then 'partial' when luck < 0.4 then 'contradicted' else 'missing' end as state,
    0.8 as score, 0.1 as margin, if(luck < 0.4, [n % getvariable('g_claims')], []) as claim_positions,
    if(luck < 0.2 and n < getvariable('g_claims'), n, null) as one_to_one, false as conflict, chance(q, s, n, 'near') < 0.05 as ambiguous, '[]' as contrasts
from drawn;
insert or ignore into claim_match by name
select answer_key, md5('set ' || q) as nugget_set_key, 'f-match' as fingerprint, c as position,
    case when luck < 0.6 then 'correct' when luck < 0.7 then 'contradicts' else 'unmatched' end as state,
    if(luck < 0.7, c, null) as nugget_position, luck as score, [] as potentially_matched from g_claim;

insert or ignore into judge_input by name
select answer_key as input_key, '{}' as input, true as has_references, false as guidance_given from g_answer;
insert into run_judge_input by name
select getvariable('g_run') as run_id, question_id, system, answer_key as input_key from g_answer;
insert or ignore into judgement by name
select answer_key as input_key, 'f-judge' as fingerprint, 0 as sample_no,
    (100 * chance(q, s, 1, 'mark'))::integer as medical_correctness, (100 * chance(q, s, 2, 'mark'))::integer as evidence_sufficiency_raw,
    (100 * chance(q, s, 3, 'mark'))::integer as response_alignment, (50 + 50 * chance(q, s, 4, 'mark'))::integer as safety,
    getvariable('g_words') as justification, 'generated' as model_answered
from g_answer where chance(q, s, 5, 'mark') > 0.02;
