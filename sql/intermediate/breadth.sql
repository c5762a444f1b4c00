-- How much an answer says on the subject: the sum over its claims of how near each is to the question or the reference in
-- meaning, times the root of how far it is from the claims before it, so that repeating pays little.
-- One row per question and system with a claim.
create or replace view breadth as
with vectors as (from embedding where fingerprint = pinned('embed')),

claims as (
    select
        run_answer.question_id,
        run_answer.system,
        claim.position,
        own.vector,
        -- Rounded, since vectors differ by a millionth with the batch that a text is embedded in.
        round(
            greatest(
                list_dot_product(own.vector, question.vector),
                coalesce(list_dot_product(own.vector, reference.vector), 0),
                0
            ), 3
        ) as relevance
    from run_answer
    join run_question using (run_id, question_id)
    join current_claim as claim using (answer_key)
    join vectors as own on own.text_key = claim.text_key
    join vectors as question on question.text_key = run_question.question_text_key
    left join vectors as reference on reference.text_key = run_question.reference_key
    where run_answer.run_id = getvariable('run_id') and claim.kind = 'claim'
),

distinct_claims as (
    select
        claim.question_id,
        claim.system,
        claim.position,
        any_value(claim.relevance) as relevance,
        round(greatest(1 - coalesce(max(list_dot_product(claim.vector, earlier.vector)), 0), 0), 3) as novelty
    from claims as claim
    left join claims as earlier
        on
            earlier.question_id = claim.question_id
            and earlier.system = claim.system
            and earlier.position < claim.position
    group by claim.question_id, claim.system, claim.position
)

select question_id, system, round(sum(relevance * sqrt(novelty)), 3) as breadth
from distinct_claims
group by question_id, system;
