-- Every invocation: what it read, with which models, and how it ended.
-- One row per run.
create or replace view runs as
with models as (
    select
        run_stage.run_id,
        max(fingerprint.spec ->> 'model') filter (run_stage.stage = 'embed') as embedder,
        max(fingerprint.spec ->> 'model') filter (run_stage.stage = 'entail') as entailment_model,
        max(fingerprint.spec ->> 'judge') filter (run_stage.stage = 'judge') as judge,
        max(fingerprint.spec ->> 'matcher') filter (run_stage.stage = 'match') as matcher
    from run_stage
    left join fingerprint using (fingerprint)
    group by run_stage.run_id
),

licences as (
    select fingerprint as judge_key, bool_and(licensed) as licensed
    from mart.judge_licence
    group by fingerprint
),

-- A panel is licensed when each of its judges is.
judges as (
    select
        run_judge.run_id,
        string_agg(distinct run_judge.caveat, '; ') as judge_caveat,
        bool_and(coalesce(licences.licensed, false)) as judge_licensed
    from run_judge
    left join licences using (judge_key)
    group by run_judge.run_id
)

select
    run.*,
    models.* exclude (run_id),
    judges.judge_caveat,
    judges.judge_licensed
from run
left join models using (run_id)
left join judges using (run_id);
