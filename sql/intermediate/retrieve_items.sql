-- Sentences for which passages are looked for among the run's documents.
-- One row per distinct sentence.
create or replace view retrieve_items as
with corpus as (select distinct corpus_key from current_corpus),

sentences as (select distinct text_key from current_sentence)

select sentences.text_key || corpus.corpus_key as item_key, sentences.text_key, corpus.corpus_key
from sentences
cross join corpus;

create or replace view retrieve_pending as
select retrieve_items.*, text.text
from retrieve_items
join text using (text_key)
anti join (from retrieval where fingerprint = pinned('retrieve')) using (text_key, corpus_key)
order by item_key;

-- Which retrieved passage has to be held against which sentence.
-- One row per distinct answer, sentence and passage.
create or replace view retrieval_pair as
select
    sentence.answer_key,
    sentence.position,
    found.rank,
    found.source_id,
    found.passage_key as premise_key,
    sentence.text_key as hypothesis_key
from current_sentence as sentence
join retrieved_passage as found using (text_key)
semi join current_corpus using (corpus_key)
where found.fingerprint = pinned('retrieve');
