-- Every answer's scores under every profile, one column a metric, the reason for each NULL beside it.
-- One row per run, question, system and profile.
create or replace view answer_scores_by_profile as
with profiles as (select unnest(['seed', 'bioace', 'trec']) as profile)

select
    score.run_id,
    score.question_id,
    score.system,
    profiles.profile,
    any_value(answer.state) as answer_state,
    any_value(answer.n_claims) as n_claims,
    {% for metric in metrics %}
    max(score.value) filter (score.metric = '{{ metric.name }}') as "{{ metric.name }}",
    {% if metric.only_under %}
    coalesce(
        max(score.reason) filter (score.metric = '{{ metric.name }}'),
        if(profiles.profile <> '{{ metric.only_under }}', 'only the {{ metric.only_under }} profile defines it', null)
    ) as {{ metric.name }}_reason,
    {% else %}
    coalesce(
        max(score.reason) filter (score.metric = '{{ metric.name }}'),
        if(count(*) filter (score.metric = '{{ metric.name }}') = 0, 'the run was made before this metric', null)
    ) as {{ metric.name }}_reason,
    {% endif %}
    {% endfor %}
    any_value(judge_standing.judge_note) as judge_note
from profiles
join mart.score as score on score.profile in (profiles.profile, 'any')
join mart.answer as answer using (run_id, question_id, system)
left join judge_standing on judge_standing.run_id = score.run_id
group by score.run_id, score.question_id, score.system, profiles.profile;
