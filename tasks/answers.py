"""Questions → fresh answers of the systems that are asked, as a data folder that `evaluate` reads."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from models.answering.systems import System, request_for
from models.chat.asking import ask_all
from models.chat.cap import Cap, Spending
from models.chat.conversation import Message, Outcome, Request
from models.chat.endpoint import Endpoint
from models.intake import BadRow, read_data, violations
from models.intake.rows import Intake
from models.settings import Phi
from sql.warehouse import Row, Warehouse, warehouse_at
from tasks.ledger import WarehouseLedger
from tasks.progress import watcher
from tasks.run import BadData, home_lock
from tasks.spending import FORM, FREE, PRICE_FILE, tariffs
from tasks.summary import TooManyFailed

STAGE = "answer"
MOST_SHOWN = 20
ABOUT = "about"


@dataclass(frozen=True, slots=True)
class Limits:
    """What asking may cost, and how old an answer may be that is used again; None for no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_money: float | None = None
    prices: str | None = None
    max_age: timedelta | None = None
    phi: Phi = "block"


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one system: every question has an answer or the reason why it has none."""

    system: System
    answers: tuple[Row, ...]
    calls: tuple[Row, ...]

    @property
    def n_failed(self) -> int:
        """Count the questions without an answer."""
        return sum("failed" in row for row in self.answers)

    def summary(self) -> dict[str, Any]:
        """Return the counts, as JSON-able values."""
        totals = {
            name: sum(call[name] or 0 for call in self.calls)
            for name in ("n_sent", "prompt_tokens", "completion_tokens")
        }
        return {
            "system": self.system.name,
            "base_url": self.system.base_url,
            "model": self.system.model,
            "n_asked": len(self.answers),
            "n_answered": len(self.answers) - self.n_failed,
            "n_failed": self.n_failed,
            "n_reused": sum(call["status"] == "answered" and not call["n_sent"] for call in self.calls),
            "n_cut": sum(bool(call["cut"]) for call in self.calls),
            **totals,
            "first_reason": next((row["failed"] for row in self.answers if "failed" in row), None),
        }


@dataclass
class Questions:
    """What is asked and what lies beside it; `rejected` says what was left out, a line each."""

    name: str
    questions: list[Row] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    given: list[Row] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def read_questions(path: Path) -> Questions:
    """Read the questions of a folder or file, by the rules of an evaluation.

    Raises:
        IntakeError: when it cannot be read.
        BadData: when no question is left.
    """
    found = Questions(path.resolve().name.split(".")[0])
    data = read_data(path)
    landed: dict[str, list[Intake]] = {"question": [], "document": [], "answer": []}
    for row in data.rows:
        if isinstance(row, BadRow):
            place = row.file if row.line is None else f"{row.file}:{row.line}"
            found.rejected.append(f"{place}: {row.rule}: {row.observed}; {row.advice}")
        elif row.kind in landed:
            landed[row.kind].append(row)
    seen: set[str] = set()
    for question in _sound(landed["question"], "question", found):
        if question["question_id"] not in seen:
            found.questions.append(question)
        seen.add(question["question_id"])
    found.documents = _sound(landed["document"], "document", found)
    found.given = [row for row in _sound(landed["answer"], "answer", found) if row["question_id"] in seen]
    for line in found.rejected[:MOST_SHOWN]:
        watcher().say(line)
    if len(found.rejected) > MOST_SHOWN:
        watcher().say(f"… and {len(found.rejected) - MOST_SHOWN} more")
    if not found.questions:
        raise BadData(f"{path}: no question in it; give rows with question_id and question")
    return found


def _sound(rows: list[Intake], kind: Any, found: Questions) -> list[Row]:
    if not rows:
        return []
    broken: dict[int, str] = {}
    for violation in violations(kind, [row.value for row in rows]):
        row = rows[violation.row]
        if violation.severity == "critical":
            raise BadData(f"{row.file}: {violation.rule}: {violation.observed}; {violation.advice}")
        broken.setdefault(
            violation.row,
            f"{row.file}:{row.line}: {violation.rule}: {violation.observed}; {violation.advice}",
        )
    found.rejected += broken.values()
    return [row.value for number, row in enumerate(rows) if number not in broken]


def refuse_unpriced(systems: Sequence[System], home: Path, limits: Limits) -> None:
    """Refuse a cap in money where a price is not known.

    Raises:
        UsageError: naming the model and where to write its price.
    """
    from models.settings import UsageError

    known = tariffs(home, limits.prices)
    for system in systems:
        if limits.max_money is not None and not system.embedded and system.model not in known:
            raise UsageError(
                f"--max-money needs the price of {system.model}: write {FORM} into {home / PRICE_FILE} "
                "or name a file with --prices"
            )


def refuse_names(systems: Sequence[System], questions: Sequence[Row], limits: Limits) -> None:
    """Look at every question before any of them leaves this machine.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    from models.judges.phi import count_phi
    from tasks.phi import refuse

    elsewhere = [s.endpoint for s in systems if not s.embedded and not s.endpoint.is_loopback]
    if elsewhere and limits.phi == "block":
        refuse(
            [(f"question {q['question_id']}", count_phi({"question": q["question"]})) for q in questions],
            elsewhere,
        )


def common_cap(limits: Limits) -> Cap:
    """Return the cap that all systems draw on."""
    return Cap(limits.max_calls, limits.max_tokens, limits.max_money, FREE)


def ask_system(
    warehouse: Warehouse, home: Path, system: System, questions: Sequence[Row], limits: Limits, cap: Cap
) -> Asked:
    """Put every question to one system; what was asked before is not asked again while it is young enough.

    Each call is on disk before the next is made, so that a killed command goes on where it was.
    """
    watcher().begin(f"{STAGE} · {system.name}", len(questions), len(questions))
    with _served(system) as endpoint:
        tariff = tariffs(home, limits.prices).get(system.model) if not system.embedded else None
        requests = _numbered(
            warehouse,
            [request_for(system, q["question_id"], q["question"]) for q in questions],
            endpoint,
            limits,
        )
        outcomes = ask_all(
            [_guarded(request, endpoint, limits.phi) for request in requests],
            endpoint,
            WarehouseLedger(warehouse, None, STAGE),
            cap=cap.at(tariff.price if tariff else FREE),
            on_done=lambda _: watcher().advance(f"{STAGE} · {system.name}", 1),
        )
    rows = [_row(system, question, outcome) for question, outcome in zip(questions, outcomes, strict=True)]
    asked = Asked(system, tuple(answer for answer, _ in rows), tuple(call for _, call in rows))
    watcher().end(f"{STAGE} · {system.name}", f"{asked.n_failed} failed" if asked.n_failed else "")
    return asked


@contextmanager
def _served(system: System) -> Iterator[Endpoint]:
    """Give the endpoint; the embedded model is served while the block runs."""
    if not system.embedded:
        yield system.endpoint
        return
    from models.chat.local_server import serving
    from models.judges.embedded import EMBEDDED_MODEL
    from models.registry import ensure

    with serving(ensure(EMBEDDED_MODEL)) as server:
        yield server.endpoint


def _numbered(
    warehouse: Warehouse, requests: list[Request[str]], endpoint: Endpoint, limits: Limits
) -> list[Request[str]]:
    """Number each request so that an answer that is too old is asked for anew, beside the old one in the ledger."""
    if limits.max_age is None:
        return requests
    keys = [request.request_key(endpoint) for request in requests]
    last = {
        row["request_key"]: (row["sample_no"], row["asked_at"])
        for row in warehouse.rows(
            "select request_key, max(sample_no) as sample_no, max(asked_at) as asked_at from model_call"
            " where request_key in (select unnest($keys)) group by request_key",
            {"keys": keys},
        )
    }
    oldest = datetime.now(UTC) - limits.max_age
    numbered = []
    for request, key in zip(requests, keys, strict=True):
        sample_no, asked_at = last.get(key, (0, None))
        stale = asked_at is not None and asked_at < oldest
        numbered.append(replace(request, sample_no=sample_no + stale))
    return numbered


def _guarded(request: Request[str], endpoint: Endpoint, phi: Phi) -> Request[str]:
    """Return the request as it may leave this machine; placeholders in the answer get their meaning back."""
    if endpoint.is_loopback or phi != "redact":
        return request
    from models.judges.phi import guard_texts, restored

    told, asked = request.messages
    _, clean, meaning = guard_texts({"question": asked.content}, phi)
    return replace(
        request,
        messages=(told, Message("user", clean["question"])),
        read=lambda text: restored(request.read(text), meaning),
    )


def _row(system: System, question: Row, outcome: Outcome[str]) -> tuple[Row, Row]:
    """Return the answer's row and what is known of the call behind it.

    A refusal is the system's answer, and so is what its server's filter stopped: silence. Everything else without
    an answer failed, with the reason.
    """
    last = outcome.calls[-1] if outcome.calls else None
    answer: Row = {"question_id": question["question_id"], "system": system.name}
    silent = (
        outcome.status == "abstained" and last is not None and last.status in ("refusal", "content_filter")
    )
    if outcome.status == "answered":
        answer["answer"] = outcome.value
        if last is not None and last.retrieved:
            answer["references"] = json.loads(last.retrieved)
    elif silent and last is not None:
        answer["answer"] = last.raw_text or "" if last.status == "refusal" else ""
    else:
        answer["failed"] = outcome.reason or "the model gave no reason"
    call = {
        "question_id": question["question_id"],
        "system": system.name,
        "status": "failed" if "failed" in answer else "answered",
        "reason": outcome.reason,
        "cut": last is not None and last.finish_reason == "length" and "failed" not in answer,
        "n_sent": outcome.n_sent,
        "model_answered": last.model_answered if last else None,
        "asked_at": last.asked_at.isoformat() if last else None,
        "prompt_tokens": sum(c.prompt_tokens or 0 for c in outcome.calls) if outcome.n_sent else 0,
        "completion_tokens": sum(c.completion_tokens or 0 for c in outcome.calls) if outcome.n_sent else 0,
        "latency_s": last.latency_s if last else None,
        "request_key": last.request_key if last else None,
        "sample_no": last.sample_no if last else None,
    }
    return answer, call


def write_folder(
    folder: Path, questions: Questions, asked: Sequence[Asked], *, with_given: bool = False
) -> int:
    """Write a data folder: questions and documents as they were, the answers, and `about/` on how they were asked.

    What is there is replaced, a file at a time and whole. Returns the number of given answers that were kept.

    Raises:
        BadData: when a given answer's system has the name of one that was asked.
    """
    names = {one.system.name for one in asked}
    given = questions.given if with_given else []
    if both := sorted({row["system"] for row in given} & names):
        raise BadData(f"{', '.join(both)}: both asked and given; give the system that is asked another name")
    (folder / ABOUT).mkdir(parents=True, exist_ok=True)
    answers = [row for one in asked for row in one.answers] + given
    _write(folder / "questions.jsonl", questions.questions)
    _write(folder / "answers.jsonl", answers)
    if questions.documents:
        _write(folder / "documents.jsonl", questions.documents)
    else:
        (folder / "documents.jsonl").unlink(missing_ok=True)
    _write(folder / ABOUT / "calls.jsonl", [row for one in asked for row in one.calls])
    _write(folder / ABOUT / "systems.jsonl", [{**one.system.described(), **one.summary()} for one in asked])
    return len(given)


def _write(path: Path, rows: Sequence[Row]) -> None:
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    draft.replace(path)


@dataclass(frozen=True, slots=True)
class Answered:
    """A data folder with fresh answers, and what came of asking for them."""

    folder: str
    dataset: str
    systems: list[dict[str, Any]]
    spent: Spending

    @property
    def reason(self) -> str | None:
        """Return why the first question without an answer has none."""
        return next((row["first_reason"] for row in self.systems if row["n_failed"]), None)


def fresh_answers(
    home: Path, data: str, systems: Sequence[System], limits: Limits, *, with_given: bool, wait: bool
) -> Answered:
    """Ask every system every question of the data, and write the folder that an evaluation reads, inside the home.

    Raises:
        BadData: when there is no question, or a system is both asked and given.
        PhiFound: before anything that may name a patient is sent.
    """
    questions = read_questions(Path(data))
    refuse_unpriced(systems, home, limits)
    refuse_names(systems, questions.questions, limits)
    cap = common_cap(limits)
    folder = home / "asked" / questions.name
    with home_lock(home, "(answers)", wait=wait):
        warehouse = warehouse_at(home)
        asked = [ask_system(warehouse, home, s, questions.questions, limits, cap) for s in systems]
        write_folder(folder, questions, asked, with_given=with_given)
    return Answered(str(folder), questions.name, [one.summary() for one in asked], cap.spent)


def refuse_unanswered(answered: Answered, max_failed: float) -> None:
    """Turn a comparison red where more questions have no answer than was allowed.

    Raises:
        TooManyFailed: with the share and the first reason.
    """
    n_failed, n_asked = (sum(row[name] for row in answered.systems) for name in ("n_failed", "n_asked"))
    if n_failed > max_failed * n_asked:
        raise TooManyFailed(
            f"{n_failed} of {n_asked} questions have no answer and {max_failed:.1%} was allowed, first:"
            f" {answered.reason}; the run is published without them, and the same command asks for them again"
        )


def left_of(limits: Limits, spent: Spending) -> Limits:
    """Return what an evaluation after the asking may still cost."""
    return replace(
        limits,
        max_calls=None if limits.max_calls is None else max(0, limits.max_calls - spent.calls),
        max_tokens=None if limits.max_tokens is None else max(0, limits.max_tokens - spent.tokens),
        max_money=None if limits.max_money is None else max(0.0, limits.max_money - spent.money),
    )
