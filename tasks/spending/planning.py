"""`medassay plan`: estimate a run stage by stage in a dry run.

Judges' calls are built to the letter and looked up in the ledger, so their number is exact; what depends on a
model's own replies is estimated, and says so. Calls that are asked again because a reply could not be used are not
counted: a cap holds them.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.served import endpoint_named
from medassay.models.nli.choosing import address_of
from medassay.models.nuggets.matching import most_pairs_a_nugget
from medassay.models.nuggets.sentence_labels import label_requests
from medassay.models.served_embedding import TEXTS_A_CALL, embedder_address, request_for
from medassay.models.settings import Settings
from medassay.models.weights.hub import hub_closed
from medassay.sql.home import home_secret
from medassay.tasks.answer_sentences import sentences_of, split_sentences
from medassay.tasks.asking import describe_llm, request_of
from medassay.tasks.nuggets.boards import boards, match_settings
from medassay.tasks.phi import PhiFound
from medassay.tasks.pipeline import Executor, execute
from medassay.tasks.progress import LinesOnly, watched_by, watcher
from medassay.tasks.run import RunRef, rehearsed_run
from medassay.tasks.spending.caps import check_prices
from medassay.tasks.spending.estimating import (
    Planned,
    local_work,
    of_calls,
    of_requests,
    pinned,
    usual_rate,
)
from medassay.tasks.spending.ledger import answered_calls
from medassay.tasks.spending.planned_judges import planned_criteria, planned_judges, planned_listwise
from medassay.tasks.stages import assign, decompose, fetch, label, nuggets
from medassay.tasks.stages.embed import embed
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.shortlist import shortlist
from medassay.tasks.stages.stage import Stage, Step

CHARACTERS_A_PAIR = 2_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would take, and what must be known before it is started."""

    n_questions: int
    n_answers: int
    stages: tuple[Planned, ...]
    notices: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-able values."""
        return asdict(self)


def plan(home: Path, settings: Settings, *, wait: bool = True) -> Plan:
    """Rehearse a run, asking nobody, and count.

    Raises:
        BadData: as a run would.
        UsageError: as a run would, when money is limited and a price is not known.
    """
    rehearsal = Rehearsal()
    with hub_closed(), rehearsed_run(home, settings, wait=wait) as run:
        check_prices(settings, home)
        execute(run, rehearsal)
        (counts,) = run.warehouse.rows(
            "select (select count(*) from current_question) as questions,"
            " (select count(*) from current_answer) as answers"
        )
    return Plan(counts["questions"], counts["answers"], tuple(rehearsal.stages), tuple(rehearsal.notices))


class Rehearsal(Executor):
    """Counts what the stages would do; where a later one needs an earlier one's rows, rules stand in for models.

    Attributes:
        stages: what was counted, a stage and model.
        notices: what must be known before the run is started.
    """

    keeps = False

    def __init__(self) -> None:
        self.stages: list[Planned] = []
        self.notices: list[str] = []
        self._n_nuggets_by_rule = 0

    def handle_phi(self, run: RunRef, found: PhiFound) -> None:
        """Note where the run would end, and go on counting."""
        self.notices.append(f"a run would end here: {found}")
        run.warehouse.execute(
            'update run set settings = json_merge_patch(settings, \'{"phi": "allow"}\') where run_id = ?',
            [run.run_id],
        )
        run.warehouse.remembered.clear()

    def run_stage(self, stage: Stage, run: RunRef) -> None:
        """Count what a stage would do."""
        counting: dict[str, Callable[[RunRef], Iterable[Planned]]] = {
            "decompose": self._decompose,
            "nuggets": self._nuggets,
            "embed": _embed,
            "fetch": _fetch,
            "shortlist": _shortlist,
            "entail": _entail,
            "assign": self._assign,
            "label": _label,
            "judge": planned_judges,
            "listwise": planned_listwise,
            "criteria": planned_criteria,
        }
        if stage.name in counting:
            with watched_by(LinesOnly(watcher())):
                self.stages += counting[stage.name](run)

    def finish(self, run: RunRef) -> None:
        """Freeze nothing."""

    def _decompose(self, run: RunRef) -> Iterable[Planned]:
        step = pinned(run, decompose.decompose)
        pending = step.pending()
        yield _atomic_facts(run, step, pending) if _asks(run) else local_work(run, "decompose")
        for start in range(0, len(pending), decompose.BATCH):
            batch = pending[start : start + decompose.BATCH]
            decompose.finish(step, batch, [decompose.by_rule(row) for row in batch])

    def _nuggets(self, run: RunRef) -> Iterable[Planned]:
        step = pinned(run, nuggets.nuggets)
        yield _made_nuggets(run, step) if _asks(run) else local_work(run, "nuggets")
        self._n_nuggets_by_rule = len(step.pending()) if _asks(run) else 0
        nuggets.by_rule(step)

    def _assign(self, run: RunRef) -> Iterable[Planned]:
        if _asks(run):
            yield _assignments(run, self._n_nuggets_by_rule)


def _asks(run: RunRef) -> bool:
    """Return whether a language model is asked."""
    return describe_llm(run.settings) is not None


def _embed(run: RunRef) -> Iterable[Planned]:
    step, endpoint = pinned(run, embed), embedder_address(run.settings.embedder)
    if endpoint is None:
        yield local_work(run, "embed")
        return
    pending = step.pending()
    starts = range(0, len(pending), TEXTS_A_CALL)
    requests = [request_for([row["text"] for row in pending[n : n + TEXTS_A_CALL]]) for n in starts]
    n_items = int(run.warehouse.value("select count(*) from embed_items"))
    yield of_requests(run, "embed", endpoint, n_items, len(pending), requests, 0, "exact calls")


def _fetch(run: RunRef) -> Iterable[Planned]:
    fetch.prepare(run)
    yield local_work(run, "fetch")


def _shortlist(run: RunRef) -> Iterable[Planned]:
    pinned(run, shortlist)
    yield local_work(run, "shortlist")


def _entail(run: RunRef) -> Iterable[Planned]:
    pinned(run, entail)
    yield _pairs(run)


def _label(run: RunRef) -> Iterable[Planned]:
    if _asks(run) and run.settings.profile == "bioace":
        yield _labels(run)


def _pairs(run: RunRef) -> Planned:
    """Count the pairs to read where they are chosen already; else estimate them: choosing them needs vectors."""
    warehouse = run.warehouse
    if run.settings.reader == "none":
        return Planned("entail", None, 0, 0, 0, 0, 0, 0, None, None, 0.0, "nothing is read (--reader none)")
    (row,) = warehouse.rows(
        "select (select count(*) from shortlist_pending join nugget using (nugget_set_key)) as nuggets,"
        " (select count(*) from (select distinct premise_key, hypothesis_key from citation_pair)) as citations,"
        " (select count(*) from shortlist_items join nugget using (nugget_set_key)) as all_nuggets"
    )
    if run.settings.profile != "bioace" and not any(_n_pending(run, name) for name in ("fetch", "shortlist")):
        return _known_pairs(run)
    of_nugget = most_pairs_a_nugget(match_settings(run.settings))
    to_do = of_nugget * row["nuggets"] + row["citations"]
    rate, whence = usual_rate(run, "entail")
    n_items = of_nugget * row["all_nuggets"] + row["citations"]
    basis = f"about {of_nugget} pairs a nugget and one a cited passage at hand, {whence} rate"
    if endpoint := address_of(run.settings.reader):
        basis += f"; {CHARACTERS_A_PAIR:,} characters a pair assumed"
        paid = of_calls(run, "entail", endpoint, n_items, to_do, to_do, 0, to_do * CHARACTERS_A_PAIR, basis)
        return replace(paid, estimated=True)
    seconds = to_do / rate
    return Planned("entail", None, n_items, to_do, 0, 0, 0, 0, None, None, seconds, basis, estimated=True)


def _known_pairs(run: RunRef) -> Planned:
    counted = local_work(run, "entail")
    endpoint = address_of(run.settings.reader)
    if endpoint is None:
        return counted
    from medassay.tasks.nli.reading import requests_of

    requests = requests_of(run.settings.reader, pinned(run, entail).pending())
    known = answered_calls(run.warehouse, run.settings)
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_known = len(requests) - len(new)
    return of_requests(run, "entail", endpoint, counted.n_items, counted.n_to_do, new, n_known, "exact calls")


def _n_pending(run: RunRef, stage: str) -> int:
    return int(run.warehouse.value(f"select count(*) from {stage}_pending"))


def _llm(run: RunRef) -> Endpoint:
    return endpoint_named(run.settings.llm, "llm")


def _atomic_facts(run: RunRef, step: Step, pending: list[dict[str, Any]]) -> Planned:
    from medassay.models.atomic.facts import sentences_to_split

    endpoint, known = _llm(run), answered_calls(run.warehouse, run.settings)
    requests = []
    for row in pending:
        if spans := sentences_to_split(decompose.by_rule(row)):
            requests.append(decompose.atomic_question(row, spans))
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_items = int(run.warehouse.value("select count(*) from decompose_items"))
    return of_requests(
        run, step.stage, endpoint, n_items, len(pending), new, len(requests) - len(new), "exact calls"
    )


def _made_nuggets(run: RunRef, step: Step) -> Planned:
    from medassay.models.nuggets import llm_making

    pending = step.pending()
    windows = [llm_making.windows(row["reference_answer"]) for row in pending]
    n_calls = sum(len(found) for found in windows) + 2 * len(pending)
    texts = [window for found in windows for window in found]
    n_items = int(run.warehouse.value("select count(*) from nuggets_items"))
    basis = "one call a window and two to grade; what the ledger holds is not deducted"
    return of_calls(
        run, "nuggets", _llm(run), n_items, len(pending), n_calls, 0, 3_000 * n_calls, basis, texts
    )


def _assignments(run: RunRef, n_stand_ins: int) -> Planned:
    """Count nugget assignment; exact where every nugget is known already."""
    step = pinned(run, assign.assign)
    pending = step.pending()
    secret = home_secret(Path(run.home))
    requests = [
        request_of(row["item_key"], part.asked, part.read, assign.SCHEMA_NAME, secret)
        for row, board in zip(pending, boards(run.warehouse, pending), strict=True)
        if row["text"].strip()
        for part in assign.parts_of(board, row["text"])
    ]
    basis = "nuggets as the rules make them" if n_stand_ins else "exact calls"
    return _asked_of_llm(run, step, len(pending), requests, basis)


def _labels(run: RunRef) -> Planned:
    """Count sentence labels, which the bioace profile asks for."""
    split_sentences(run)
    step = pinned(run, label.label)
    pending = step.pending()
    texts = sentences_of(run.warehouse, [row["answer_key"] for row in pending])
    secret = home_secret(Path(run.home))
    requests = [
        request_of(row["item_key"], asked, label.Batch(asked).read, label.SCHEMA_NAME, secret)
        for row in pending
        for asked in label_requests(row["question"], texts[row["answer_key"]])
    ]
    return _asked_of_llm(run, step, len(pending), requests, "exact calls where answers are split already")


def _asked_of_llm(
    run: RunRef, step: Step, n_pending: int, requests: list[Request[Any]], basis: str
) -> Planned:
    endpoint, known = _llm(run), answered_calls(run.warehouse, run.settings)
    new = [request for request in requests if (request.request_key(endpoint), 0) not in known]
    n_items = int(run.warehouse.value(f"select count(*) from {step.stage}_items"))
    return of_requests(run, step.stage, endpoint, n_items, n_pending, new, len(requests) - len(new), basis)
