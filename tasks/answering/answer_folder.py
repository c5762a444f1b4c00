"""Write systems' fresh answers as a data folder, and count their costs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

from medassay.models.answering.systems import System
from medassay.models.atomic_files import written_whole
from medassay.models.chat.cap import Spending
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Row, Warehouse, statement, warehouse_at
from medassay.tasks.answering.answers import STAGE, Asked, Limits, ask_system, refuse_names, refuse_unpriced
from medassay.tasks.answering.asked_questions import Questions, read_questions
from medassay.tasks.run import BadData, HomeBusy, RunRef, home_lock, new_run_id
from medassay.tasks.spending.caps import common_cap
from medassay.tasks.spending.ledger import count_late
from medassay.tasks.summary import TooManyFailed

ABOUT = "about"
_KEPT = timedelta(days=7)
"""How long the folders of earlier comparisons stay, for a look at what was asked."""

# The home was held while they were asked, so that nobody else's calls lie between.
OF_NO_RUN = "run_id is null and stage = $stage and {} between $began_at and $ended_at"


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
    with written_whole(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@dataclass(frozen=True, slots=True)
class Answered:
    """A data folder with fresh answers, and what came of asking for them."""

    folder: str
    dataset: str
    systems: list[dict[str, Any]]
    spent: Spending
    began_at: datetime
    ended_at: datetime

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
    cap = common_cap(limits)
    with home_lock(home, "(answers)", wait=wait):
        warehouse = warehouse_at(home)
        refuse_names(warehouse, systems, questions.questions, limits)
        began_at = datetime.now(UTC)
        folder = _folder_of_its_own(home / "asked" / questions.name, began_at)
        asked = [ask_system(warehouse, home, s, questions.questions, limits, cap) for s in systems]
        ended_at = datetime.now(UTC)
        write_folder(folder, questions, asked, with_given=with_given)
    counts = [one.summary() for one in asked]
    return Answered(str(folder), questions.name, counts, cap.spent, began_at, ended_at)


def _folder_of_its_own(among: Path, now: datetime) -> Path:
    """Name a folder that no other comparison writes to, and clear away what was asked long ago.

    The home is let go between asking and evaluating, so another comparison may ask in between.
    """
    for old in among.iterdir() if among.is_dir() else ():
        if old.is_dir() and datetime.fromtimestamp(old.stat().st_mtime, UTC) < now - _KEPT:
            rmtree(old, ignore_errors=True)
    return among / new_run_id(now)


def refuse_unanswered(answered: Answered, max_failed: float, measured: dict[str, Any]) -> None:
    """Turn a comparison, `measured` all the same, red where more questions have no answer than was allowed.

    Raises:
        TooManyFailed: with the share and the first reason.
    """
    n_failed, n_asked = (sum(row[name] for row in answered.systems) for name in ("n_failed", "n_asked"))
    if n_failed > max_failed * n_asked:
        raise TooManyFailed(
            f"{n_failed} of {n_asked} questions have no answer and {max_failed:.1%} was allowed, first:"
            f" {answered.reason}; the run is published without them, and the same command asks for them again",
            measured,
        )


def left_of(limits: Limits, spent: Spending) -> Limits:
    """Return what an evaluation after the asking may still cost."""
    return replace(
        limits,
        max_calls=None if limits.max_calls is None else max(0, limits.max_calls - spent.calls),
        max_tokens=None if limits.max_tokens is None else max(0, limits.max_tokens - spent.tokens),
        max_money=None if limits.max_money is None else max(0.0, limits.max_money - spent.money),
    )


def charge_run(home: Path, answered: Answered) -> str | None:
    """Count the calls for these answers to the run that read them, and publish; return the run, None where it is free.

    Where nothing was asked anew there is nothing to count. What no finished run read stays in `other_costs`.
    """
    try:
        with home_lock(home, "(answers)", wait=False):
            return _charged(home, answered)
    except HomeBusy:
        # The run is published; whoever holds the home now may do so for hours.
        return None


def _charged(home: Path, answered: Answered) -> str | None:
    warehouse = warehouse_at(home)
    run_id = warehouse.value(
        "select run_id from run where data = ? and state = 'finished' and started_at >= ?"
        " order by started_at desc limit 1",
        [str(Path(answered.folder).resolve()), answered.began_at],
    )
    asked: Row = {"stage": STAGE, "began_at": answered.began_at, "ended_at": answered.ended_at}
    if run_id is None or not warehouse.value(
        f"select count(*) from model_call where {OF_NO_RUN.format('asked_at')}", asked
    ):
        return None
    with warehouse.transaction():
        _hand_over(warehouse, str(run_id), asked)
        count_late(RunRef(str(home), str(run_id)), STAGE)
    publish(warehouse, home, str(run_id))
    return str(run_id)


def _hand_over(warehouse: Warehouse, run_id: str, asked: Row) -> None:
    """Have calls that belonged to no run belong to one, at the prices of the time."""
    warehouse.execute(
        statement("statements/answering/charging/hand_over"),
        {"run_id": run_id, "began_at": asked["began_at"], "ended_at": asked["ended_at"]},
    )
    for table, moment in (("model_call", "asked_at"), ("phi_audit", "checked_at")):
        warehouse.execute(
            f"update {table} set run_id = $run_id where {OF_NO_RUN.format(moment)}",
            {"run_id": run_id, **asked},
        )
