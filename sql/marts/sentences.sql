-- With `--profile bioace`: how a language model labels each sentence of an answer, and whether a passage that BM25
-- finds among the documents of the data entails it.
-- One row per run, question, system and sentence.
create or replace view sentences as
select
    sentence.* exclude (text_key, passage_key),
    text.text as sentence,
    passage.text as passage
from mart.sentence as sentence
join text using (text_key)
left join text as passage on passage.text_key = sentence.passage_key;
