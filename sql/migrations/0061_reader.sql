-- The option `entailment` is called `reader`.

update run set settings = json_merge_patch(
    settings, json_object('reader', settings -> 'entailment', 'entailment', null)
)
where (settings ->> 'entailment') is not null;
