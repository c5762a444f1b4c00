"""What the judges of a run would be asked, before any of them is."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from models.chat.conversation import Request
from models.chat.served import embedded_endpoint
from models.chat.tokens import token_counter
from models.judges.embedded.judge import EmbeddedJudge
from models.judges.listwise.judge import ListwiseJudge, balanced_orders
from models.judges.rubric import RubricJudge
from tasks.judging import judge, listwise
from tasks.judging.panel import members_of, pin_members
from tasks.phi import guarded_inputs
from tasks.run import RunRef
from tasks.secret import home_secret
from tasks.spending.estimating import Planned, of_requests, pinned, seconds_a_call
from tasks.spending.ledger import answered_calls


def planned_judges(run: RunRef) -> Iterable[Planned]:
    """Count each judge's calls to the letter."""
    members = members_of(run)
    if not members:
        return
    judge.brief(run)
    pin_members(run)
    step = pinned(run, judge.judge_answers)
    pending = step.pending()
    known = answered_calls(run.warehouse, run.settings)
    for member in members:
        rows = [row for row in pending if row["judge_no"] == member.judge_no]
        n_items = int(
            run.warehouse.value("select count(*) from judge_items where judge_no = ?", [member.judge_no])
        )
        asked = member.judge
        if isinstance(asked, EmbeddedJudge):
            a_call, whence = seconds_a_call(run.warehouse, embedded_endpoint().model)
            inputs = [judge.judge_input_from(row["input"]) for row in rows]
            samples = run.settings.samples
            posed = [request for judge_input in inputs for request in asked.requests_at_most(judge_input)]
            counter = token_counter(None)
            tokens, n_calls = samples * counter.of_requests(posed), samples * len(posed)
            spelled = samples * sum(counter.count(one.spelled or "") for one in posed)
            seconds = n_calls * a_call
            basis = (
                f"at most, those asked before among them; {counter.name}, {whence} {a_call:.1f} s a question"
            )
            yield Planned(
                "judge",
                asked.name,
                n_items,
                len(rows),
                n_calls,
                0,
                tokens,
                n_calls + spelled,
                None,
                None,
                seconds,
                basis,
                costs_nothing=True,
            )
            continue
        if not isinstance(asked, RubricJudge):
            raise TypeError(f"nobody knows what {asked.name} would ask")
        endpoint = asked.endpoint
        shown = guarded_inputs(step, endpoint, [judge.judge_input_from(row["input"]) for row in rows])
        calls: list[Request[Any]] = [
            asked.request(judge_input, sample_no)
            for judge_input, _ in shown
            for sample_no in range(run.settings.samples)
        ]
        new = [call for call in calls if (call.request_key(endpoint), call.sample_no) not in known]
        yield of_requests(
            run, "judge", endpoint, n_items, len(rows), new, len(calls) - len(new), "exact calls"
        )


def planned_listwise(run: RunRef) -> Iterable[Planned]:
    """Count the calls of the listwise judge, where a comparison is asked for."""
    endpoint = listwise.endpoint_of_judge(run.settings)
    if isinstance(endpoint, str):
        return
    listwise.brief(run)
    step = pinned(run, listwise.compare_answers)
    asked = ListwiseJudge(endpoint, home_secret(Path(run.home)))
    known = answered_calls(run.warehouse, run.settings)
    inputs = listwise.guarded(step, endpoint, [listwise.input_from(row) for row in step.pending()])
    requests = [asked.request(shown, order) for shown, _ in inputs for order in balanced_orders(shown)]
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_items = int(run.warehouse.value("select count(*) from listwise_items"))
    yield of_requests(
        run, "listwise", endpoint, n_items, len(inputs), new, len(requests) - len(new), "exact calls"
    )
