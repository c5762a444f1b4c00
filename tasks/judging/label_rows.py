"""Rows of a file of human scores as labels; rows without use or without a match are named."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from medassay.models.counting import counted
from medassay.models.intake import BadRow, RawRow
from medassay.models.intake.formats import columns
from medassay.models.intake.names import canonical
from medassay.models.intake.rows import named, spelled
from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.spreadsheets import plain_name
from medassay.sql.warehouse import Row
from medassay.tasks.run import BadData

METRICS = ("rubric_score", *SUB_METRICS)
NEEDED = ("question_id", "system", "metric", "score")
ROLES = ("", "tune", "test")
TARGETS = ("answer", "evaluation", "nugget")
SHOWN_FAULTS = 10
SHOWN_NAMES = 5
SHOWN_CHARACTERS = 40
Answer = tuple[str, str]

_WHOLE = re.compile(r"(\d+)\.0+")


@dataclass(frozen=True, slots=True)
class Label:
    """What one person gave one answer, and where it stands."""

    place: str
    metric: str
    question_id: str
    system: str
    annotator: str
    role: str
    score: float

    @property
    def answer(self) -> Answer:
        """Name the answer: its question and system."""
        return self.question_id, self.system

    @property
    def shown(self) -> str:
        """Show which answer it is of, and where it stands."""
        question, system = (spelled(name, SHOWN_CHARACTERS) for name in self.answer)
        return f"question_id {question}, system {system} ({self.place})"


@dataclass
class Faults:
    """One line a kind of fault: the first place it was seen at, and in how many rows."""

    first: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, line: str) -> None:
        """Count a fault; the line of the first of its kind stands for all."""
        self.first.setdefault(kind, line)
        self.counts[kind] += 1

    def refuse(self) -> None:
        """Raise BadData where there is any fault."""
        lines = [
            line if (n := self.counts[kind]) == 1 else f"{line} (the first of {n:,} such rows)"
            for kind, line in self.first.items()
        ]
        more = [f"and {len(lines) - SHOWN_FAULTS} kinds of faults more"] if len(lines) > SHOWN_FAULTS else []
        if lines:
            raise BadData("\n".join([*lines[:SHOWN_FAULTS], *more]))


@dataclass
class LabelFile:
    """What a file has said so far."""

    path: Path
    labels: list[Label] = field(default_factory=list)
    tested: set[Answer] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)
    columns: dict[str, None] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    other_targets: Counter[str] = field(default_factory=Counter)
    other_metrics: Counter[str] = field(default_factory=Counter)

    def take(self, row: RawRow | BadRow) -> None:
        """Take one row up: as a label, as one of no use here, or as a fault."""
        if isinstance(row, BadRow):
            self.faults.add(row.rule, f"{row.file}:{row.line}: {row.rule}: {row.observed}; {row.advice}")
            return
        where, value = row.place.within(row.file), canonical("human_score", row.value)
        self.columns |= dict.fromkeys(row.value)
        self.named |= value.keys()
        if fault := _fault(value):
            self.faults.add(fault, f"{where}: {fault}")
            return
        answer, role = (value["question_id"], value["system"]), _plain(value.get("role"))
        if role == "test":
            self.tested.add(answer)
        metric, target = _plain(value["metric"]), _plain(value["target"] or "answer")
        if target != "answer":
            self.other_targets[target] += 1
        elif metric not in METRICS:
            self.other_metrics[value["metric"]] += 1
        elif of_score := _fault_of_score(value.get("score")):
            kind, advice = of_score
            self.faults.add(kind, f"{where}: {_seen(value.get('score'))}; {advice}")
        else:
            annotator = str(value.get("annotator") or "")
            self.labels.append(Label(where, metric, *answer, annotator, role, float(value["score"])))

    def refuse(self) -> None:
        """Raise BadData where a column is missing from every row, or a row has a fault."""
        if missing := [name for name in NEEDED if name not in self.named and self.columns]:
            words = "; labels are words, and a map is fitted to numbers" if "label" in self.named else ""
            there = named(columns(self.path) or self.columns)
            raise BadData(
                f"{self.path}: no row has a {' or a '.join(missing)}; the columns are {there}{words};"
                f" every row needs {', '.join(NEEDED)}"
            )
        self.faults.refuse()

    def notes(self) -> list[str]:
        """Return which rows are of no use here, and why."""
        targets = [
            f"{counted(n, 'row')} of target {target} not used: only scores of the answer itself are"
            for target, n in self.other_targets.items()
        ]
        if not self.other_metrics:
            return targets
        names = [spelled(name, SHOWN_CHARACTERS) for name, _ in self.other_metrics.most_common()]
        more = ["…"] if len(names) > SHOWN_NAMES else []
        return [
            *targets,
            f"{counted(self.other_metrics.total(), 'row')} of metric {', '.join([*names[:SHOWN_NAMES], *more])} not"
            f" used: marks are of {', '.join(METRICS)}, and are held against scores of the same name",
        ]


def _fault(value: dict[str, Any]) -> str | None:
    """Describe what is wrong with a row's names, if anything."""
    names = NEEDED[:3]
    if missing := [name for name in names if value.get(name) in (None, "")]:
        return f"no {', '.join(missing)}; every row needs {', '.join(NEEDED)}"
    if wrong := next((name for name in names if not isinstance(value[name], str)), None):
        return f"{wrong} is {spelled(value[wrong], SHOWN_CHARACTERS)}; write it as text or a number"
    if _plain(value.get("role")) not in ROLES:
        return (
            f"role is {spelled(value['role'], SHOWN_CHARACTERS)}; write tune, test, or leave it empty (tune)"
        )
    if _plain(value["target"] or "answer") not in TARGETS:
        return f"target is {spelled(value['target'], SHOWN_CHARACTERS)}; write {', '.join(TARGETS)}"
    return None


def _fault_of_score(score: Any) -> tuple[str, str] | None:
    """Return the kind of what is wrong with a score, and what to do."""
    if score is None:
        return "no score", "give a number, or leave the row out where nobody scored"
    if isinstance(score, bool):
        return "truth", "give a number: true and false are none"
    if isinstance(score, int | float) and _is_number(str(score)):
        return None
    text = str(score).strip()
    if text.count(",") == 1 and _is_number(text.replace(",", ".")):
        return "decimal comma", f"write a decimal point: {text.replace(',', '.')}"
    if text.endswith("%") and _is_number(text[:-1]):
        return "per cent", f"write the number alone: {text[:-1].strip()}"
    return "no number", "give a number, or leave the row out where nobody scored"


def _seen(score: Any) -> str:
    return "no score" if score is None else f"score is {spelled(score, SHOWN_CHARACTERS)}"


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _plain(value: Any) -> str:
    return plain_name(str(value)) if value is not None else ""


def unmatched(
    metric: str, run_id: str, marks: Sequence[Row], labels: Mapping[Answer, Sequence[Label]]
) -> list[str]:
    """Return a line on the scored answers that the run does not have, and one on those without a mark in it."""
    if not any(row["value"] is not None for row in marks):
        return [
            f"{metric}: run {run_id} has no mark of it; evaluate the answers with a judge (--judge) first"
        ]
    marked = {(row["question_id"], row["system"]): row["value"] is not None for row in marks}
    unknown = [given[0] for answer, given in labels.items() if answer not in marked]
    silent = [given[0] for answer, given in labels.items() if marked.get(answer) is False]
    lines = []
    if unknown:
        lines.append(
            f"{metric}: {len(unknown)} of {len(labels)} scored answers are not in run {run_id}, such as"
            f" {unknown[0].shown}; {_meant(unknown[0], marked)}"
        )
    if silent:
        lines.append(
            f"{metric}: {len(silent)} of {len(labels)} scored answers have no mark in run {run_id}, such as"
            f" {silent[0].shown}"
        )
    return lines


def _meant(label: Label, marked: Mapping[Answer, bool]) -> str:
    """Describe what to write instead, or which of the names the run does not know."""
    questions, systems = (dict.fromkeys(names) for names in zip(*marked, strict=True))
    lines = []
    for column, name, known in (
        ("question_id", label.question_id, questions),
        ("system", label.system, systems),
    ):
        if name in known:
            continue
        alike = next((other for other in known if _as_compared(other) == _as_compared(name)), None)
        if alike is not None:
            lines.append(f"write {column} {spelled(alike, SHOWN_CHARACTERS)}, as the run does")
        else:
            some = ", ".join(spelled(other, SHOWN_CHARACTERS) for other in list(known)[:SHOWN_NAMES])
            lines.append(f"the run's {column}s are {some}{', …' if len(known) > SHOWN_NAMES else ''}")
    return "; ".join(lines) or "the run has both names and no such answer"


def _as_compared(name: str) -> str:
    """Write a name without what a spreadsheet or a hand changes: capitals, blanks, the `.0` of a whole number."""
    name = name.strip().casefold()
    whole = _WHOLE.fullmatch(name)
    return whole[1] if whole else name
