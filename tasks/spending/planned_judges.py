"""Planned requests to a run's judges."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Request
from medassay.models.judges.evidence import EvidenceJudge
from medassay.models.judges.listwise.judge import ListwiseJudge, balanced_orders
from medassay.models.judges.rubric import RubricJudge
from medassay.sql.home import home_secret
from medassay.tasks.judging.panel import members_of, pin_members
from medassay.tasks.phi import guarded_inputs, guarded_requests
from medassay.tasks.run import RunRef
from medassay.tasks.spending.estimating import Planned, of_requests, pinned
from medassay.tasks.spending.ledger import answered_calls
from medassay.tasks.stages import criteria, judge, listwise


def planned_judges(run: RunRef) -> Iterable[Planned]:
    """Count each judge's calls to the letter."""
    members = members_of(run)
    if not members:
        return
    judge.brief(run)
    pin_members(run)
    step = pinned(run, judge.judge)
    pending = step.pending()
    known = answered_calls(run.warehouse, run.settings)
    for member in members:
        rows = [row for row in pending if row["judge_no"] == member.judge_no]
        n_items = int(
            run.warehouse.value("select count(*) from judge_items where judge_no = ?", [member.judge_no])
        )
        asked = member.judge
        if isinstance(asked, EvidenceJudge):
            continue
        if not isinstance(asked, RubricJudge):
            raise TypeError(f"nobody knows what {asked.name} would ask")
        endpoint = asked.endpoint
        shown = guarded_inputs(step, endpoint, [judge.judge_input_from(row["input"]) for row in rows])
        calls: list[Request[Any]] = [
            call
            for judge_input, _ in shown
            for sample_no in range(run.settings.samples)
            for call in asked.requests(judge_input, sample_no)
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
    step = pinned(run, listwise.listwise)
    asked = ListwiseJudge(endpoint, home_secret(Path(run.home)))
    known = answered_calls(run.warehouse, run.settings)
    inputs = listwise.guarded(step, endpoint, [listwise.input_from(row) for row in step.pending()])
    requests = [
        request
        for shown, _ in inputs
        for order in balanced_orders(shown)
        for request in asked.requests(shown, order)
    ]
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_items = int(run.warehouse.value("select count(*) from listwise_items"))
    yield of_requests(
        run, "listwise", endpoint, n_items, len(inputs), new, len(requests) - len(new), "exact calls"
    )


def planned_criteria(run: RunRef) -> Iterable[Planned]:
    """Count the calls about criteria, where the run has some and a judge that writes."""
    endpoint = criteria.endpoint_of_judge(run.settings)
    n_items = int(run.warehouse.value("select count(*) from criteria_items"))
    if isinstance(endpoint, str) or not n_items:
        return
    step = pinned(run, criteria.criteria)
    asked, known = criteria.judge_of(run, endpoint), answered_calls(run.warehouse, run.settings)
    requests = guarded_requests(
        step,
        endpoint,
        [asked.request(shown, part) for _, shown in criteria.material(run) for part in asked.parts(shown)],
    )
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_pending = len(step.pending())
    yield of_requests(
        run, "criteria", endpoint, n_items, n_pending, new, len(requests) - len(new), "exact calls"
    )
