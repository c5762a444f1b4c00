-- mart.ranking for the current run: each order in which the listwise judge saw a question's answers, by place.
-- One row per question, order and system.
create or replace view new_ranking as
select
    compared.run_id,
    compared.question_id,
    fingerprint.spec ->> 'judge' as judge,
    ranking.order_no,
    ranking.systems[place.place] as system,
    place.place::integer as place,
    ranking.points[place.place] as points,
    ranking.rationale,
    ranking.reason,
    ranking.n_left_out[place.place] as n_left_out,
    ranking.is_strict
from run_listwise_input as compared
join listwise_ranking as ranking using (input_key)
join fingerprint using (fingerprint)
cross join unnest(range(1, len(ranking.systems) + 1)) as place (place)
where compared.run_id = getvariable('run_id') and ranking.fingerprint = pinned('listwise');
