-- Whether each cited source says what the claim says, the sentence of it that decided, and one that says the opposite.
-- One row per run, question, system, claim and citation.
create or replace view citation_verdicts as
select
    citation.run_id, citation.question_id, citation.system, citation.claim_id, words.text as claim,
    citation.ordinal, citation.citation, citation.source_id, citation.state,
    citation.entailment, citation.neutral, citation.contradiction,
    text.text as passage,
    citation.passage_label,
    case
        when citation.sentence_end > citation.sentence_start
            then substring(text.text, citation.sentence_start + 1, citation.sentence_end - citation.sentence_start)
    end as sentence,
    citation.sentence_start, citation.sentence_end, citation.n_windows, citation.coverage,
    opposing.text as opposing_passage,
    citation.opposing_label,
    case
        when citation.opposing_end > citation.opposing_start
            then substring(opposing.text, citation.opposing_start + 1, citation.opposing_end - citation.opposing_start)
    end as opposing_sentence,
    citation.text_kind, citation.set_entails, citation.contributes,
    citation.title, citation.url, citation.retracted, citation.concern, citation.erratum, citation.reason,
    citation.passage_key, claim.text_key as statement_key
from mart.citation as citation
join mart.claim as claim using (run_id, question_id, system, claim_id)
join text as words on words.text_key = claim.text_key
left join text on text.text_key = citation.passage_key
left join text as opposing on opposing.text_key = citation.opposing_passage_key;
