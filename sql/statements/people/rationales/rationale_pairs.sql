-- Return every rationale beside the reference author's of the same answer; None where there are no rationales.
with given as (
    select question_id, system, author, 0 as sample_no, rationale
    from rationale where dataset = (select dataset from run where run_id = $run_id)
),
said as (
    from given
    union all by name
    select question_id, system, judge as author, sample_no, justification as rationale
    from mart.judgement
    where
        run_id = $run_id and status = 'scored' and trim(justification) <> ''
        and judge not in (select author from given)
)
select said.*, named.rationale as reference
from said
join given as named on named.author = $reference
    and named.question_id = said.question_id and named.system = said.system
semi join mart.answer as answer on answer.run_id = $run_id
    and answer.question_id = said.question_id and answer.system = said.system
where said.author <> $reference
order by said.author, said.question_id, said.system, said.sample_no
