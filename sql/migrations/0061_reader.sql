-- The option `entailment` is called `reader`, and `entail_on` is now `on`; work leaves the machine in parts, which no
-- table of the home follows.

update run set settings = json_merge_patch(
    settings,
    json_object(
        'reader', settings -> 'entailment', 'entailment', null,
        'on', if((settings ->> 'entail_on') = 'gpu', 'prefect:gpu', 'here'), 'entail_on', null
    )
)
where (settings ->> 'entailment') is not null;

drop table entail_shard;
