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
)

select
    run.*,
    models.* exclude (run_id),
    judge_standing.judge_caveat,
    judge_standing.judge_licensed
from run
left join models using (run_id)
left join judge_standing using (run_id);
