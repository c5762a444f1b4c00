"""Metamorphic tests of the pipeline: properties that any measure of answers must have, on small cases.

Source of the idea: metamorphic testing (Chen et al. 1998): where nobody can say what the right score is, what must
happen to it when the input is changed can still be said.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.pipeline import execute
from medassay.tasks.run import started_run
from medassay.tasks.spending.caps import check_prices

Case = dict[str, Any]
Row = dict[str, Any]
SHUFFLED, SWAPPED = "shuffled", "swapped"


@dataclass(frozen=True, slots=True)
class Property:
    """Whether a property holds for the models that were tried, over how many cases, and where it does not."""

    says: str
    n_cases: int
    broken: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Tell whether no case breaks it."""
        return not self.broken

    def as_dict(self) -> dict[str, Any]:
        """Return the property as JSON-able values."""
        return {**asdict(self), "holds": self.holds}


@dataclass(frozen=True)
class Measured:
    """What the pipeline made of every answer: scores by (question, system), states by nugget."""

    scores: Mapping[tuple[str, str], Mapping[str, float | None]]
    states: Mapping[tuple[str, str], Mapping[str, str]]


@cache
def cases() -> tuple[Case, ...]:
    """Read the cases: a question, its nuggets, an answer, and that answer changed in ways whose effect is known."""
    return tuple(json.loads(files("medassay.flows").joinpath("metamorphic.json").read_text(encoding="utf-8")))


def examine(**models: Any) -> list[Property]:
    """Measure every case and its changes in a home that is thrown away, and hold the results against each other.

    Args:
        models: settings of the models that are tried: llm, embedder, reader, matcher.
    """
    measured = measure_cases(**models)
    return [
        Property(
            says,
            len(cases()),
            tuple(broken(case["case"], why) for case in cases() for why in check(case, measured)),
        )
        for says, check in CHECKS.items()
    ]


def broken(case: str, why: str) -> str:
    """Return where a property does not hold."""
    return f"{case}: {why}"


def measure_cases(**models: Any) -> Measured:
    """Run the pipeline once over all cases, as one data set of three questions a case."""
    with tempfile.TemporaryDirectory(prefix="medassay-") as folder:
        data, home = Path(folder) / "cases", Path(folder) / "home"
        data.mkdir()
        rows = list(questions_and_answers())
        for name in ("questions", "answers"):
            lines = [json.dumps(row, ensure_ascii=False) for kind, row in rows if kind == name]
            (data / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        settings = Settings(str(data), judge="none", offline=True, **models)
        check_prices(settings, home)
        try:
            with started_run(home, settings) as run:
                execute(run)
                return read(run.warehouse.rows)
        finally:
            close_warehouse(home)


def questions_and_answers() -> Iterator[tuple[str, Row]]:
    """Yield each case as questions and answers: as it is, with its nuggets shuffled, with two systems swapped."""
    for case in cases():
        name, nuggets = case["case"], case["nuggets"]
        texts = {
            kind: " ".join(case[kind]) for kind in ("answer", "paraphrase", "negated", "changed", "other")
        }
        texts |= {"repeated": " ".join([*case["answer"], case["answer"][-1]]), "empty": ""}
        for question_id, listed in (
            (name, nuggets),
            (name + SHUFFLED, nuggets[1:] + nuggets[:1]),
            (name + SWAPPED, nuggets),
        ):
            yield "questions", {"question_id": question_id, "question": case["question"], "nuggets": listed}
        for system, text in texts.items():
            yield "answers", {"question_id": name, "system": system, "answer": text}
        yield "answers", {"question_id": name + SHUFFLED, "system": "answer", "answer": texts["answer"]}
        for system, text in (("answer", texts["other"]), ("other", texts["answer"])):
            yield "answers", {"question_id": name + SWAPPED, "system": system, "answer": text}


def read(rows: Callable[[str], list[Row]]) -> Measured:
    """Read the frozen results of the one run there is."""
    scores: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in rows("from mart.score where profile in ('any', 'seed', 'trec')"):
        key = f"{row['profile']}.{row['metric']}"
        scores.setdefault((row["question_id"], row["system"]), {})[key] = row["value"]
    states: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows("from nugget_states"):
        states.setdefault((row["question_id"], row["system"]), {})[row["nugget"]] = row["state"]
    return Measured(scores, states)


def shuffled(case: Case, measured: Measured) -> Iterator[str]:
    """Shuffling nuggets changes no state and no score."""
    here, there = (case["case"], "answer"), (case["case"] + SHUFFLED, "answer")
    yield from differences(measured.states[here], measured.states[there])
    yield from differences(measured.scores[here], measured.scores[there])


def repeated(case: Case, measured: Measured) -> Iterator[str]:
    """Saying a claim twice never raises precision."""
    once, twice = (
        measured.scores[case["case"], system]["seed.precision"] for system in ("answer", "repeated")
    )
    if once is None or twice is None or twice > once:
        yield f"precision {shown(once)} became {shown(twice)}"


def silent(case: Case, measured: Measured) -> Iterator[str]:
    """An empty answer is wholly incomplete, and has no precision."""
    found = measured.scores[case["case"], "empty"]
    for name, wanted in (("completeness", 0.0), ("recall", 0.0), ("precision", None)):
        if (value := found[f"seed.{name}"]) != wanted:
            yield f"{name} is {shown(value)} and not {shown(wanted)}"


def swapped(case: Case, measured: Measured) -> Iterator[str]:
    """Swapping two answers swaps their scores."""
    for system, other in (("answer", "other"), ("other", "answer")):
        yield from differences(
            measured.scores[case["case"], system], measured.scores[case["case"] + SWAPPED, other]
        )


def turned(case: Case, measured: Measured) -> Iterator[str]:
    """Negating or changing a dose lowers correctness."""
    right = measured.scores[case["case"], "answer"]["seed.correctness"]
    for system in ("negated", "changed"):
        wrong = measured.scores[case["case"], system]["seed.correctness"]
        if right is None or wrong is None or wrong >= right:
            yield f"“{case[system][0]}”: correctness {shown(right)} became {shown(wrong)}"


def paraphrased(case: Case, measured: Measured) -> Iterator[str]:
    """A paraphrase keeps the state of every nugget."""
    yield from differences(
        measured.states[case["case"], "answer"], measured.states[case["case"], "paraphrase"]
    )


CHECKS: dict[str, Callable[[Case, Measured], Iterator[str]]] = {
    "shuffling nuggets changes nothing": shuffled,
    "saying a claim twice never raises precision": repeated,
    "an empty answer scores 0 on completeness and NULL on precision": silent,
    "swapping two answers swaps their scores": swapped,
    "negating or changing a dose lowers correctness": turned,
    "a paraphrase keeps the state": paraphrased,
}


def differences(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[str]:
    """Describe what is not the same on both sides."""
    for name in dict.fromkeys((*left, *right)):
        before, after = left.get(name), right.get(name)
        if before != after:
            yield f"{name}: {shown(before)} became {shown(after)}"


def shown(value: Any) -> str:
    """Write a value for a person."""
    return "NULL" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
