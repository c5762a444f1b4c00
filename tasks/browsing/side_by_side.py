"""Two sides, each a system of a run: questions where they differ, and two answers with their claims by nugget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import duckdb

from medassay.models.report.conversations import conversations
from medassay.models.report.rows import ReportData
from medassay.models.usage import UsageError
from medassay.sql.snapshot import of_this_version, published
from medassay.sql.warehouse import Row, statement
from medassay.tasks.browsing.runs import shown_name

Order = Literal["asked", "worst", "differs"]
ORDERS: tuple[Order, ...] = ("asked", "worst", "differs")


@dataclass(frozen=True, slots=True)
class Side:
    """A system of a run; `name` is what the run is called."""

    run_id: str
    system: str
    name: str = ""
    dataset: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which questions are listed; empty leaves none out. `state` and `reader` are of a nugget on either side."""

    differs: bool = False
    newly: bool = False
    state: str = ""
    reader: str = ""
    category: str = ""
    order: Order = "asked"

    def has(self, row: Row) -> bool:
        """Tell whether a question is listed."""
        return (
            (not self.differs or row["n_differ"] > 0)
            and (not self.newly or row["n_newly"] > 0)
            and (not self.state or self.state in row["states"])
            and (not self.reader or self.reader in row["readers"])
            and (not self.category or self.category == row["category"])
        )

    def place(self, row: Row) -> tuple[Any, ...]:
        """Return where a question stands in the list."""
        if self.order == "differs":
            return (-row["n_newly"], -row["n_differ"])
        if self.order == "worst":
            return (-row["n_contradicted_b"], 1.0 if row["coverage_b"] is None else row["coverage_b"])
        return ()


@dataclass(frozen=True, slots=True)
class Pairs:
    """The questions that are listed, of how many, and the values that filters can have.

    Of two runs `newly` has the nuggets that each system of both turns around in the second alone.
    """

    a: Side
    b: Side
    questions: list[Row]
    n_all: int
    systems_a: list[str]
    systems_b: list[str]
    categories: list[str]
    states: list[str]
    readers: list[str]
    newly: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Shown:
    """One side's answer: its row, its claims in order with their citations, its nuggets, instructions and marks."""

    side: Side
    answer: Row
    claims: list[Row] = field(default_factory=list)
    nuggets: dict[str, Row] = field(default_factory=dict)
    guidance: list[Row] = field(default_factory=list)
    judgements: list[Row] = field(default_factory=list)
    scores: Row = field(default_factory=dict)
    talk: list[Row] = field(default_factory=list)

    def claims_of(self, nugget: str) -> list[Row]:
        """Return the claims that decided a nugget."""
        wanted = self.nuggets.get(nugget, {}).get("claim_ids") or []
        return [claim for claim in self.claims if claim["claim_id"] in wanted]

    @property
    def beside(self) -> list[Row]:
        """The claims that decided no nugget."""
        used = {claim for row in self.nuggets.values() for claim in row["claim_ids"] or []}
        return [claim for claim in self.claims if claim["claim_id"] not in used]


@dataclass(frozen=True, slots=True)
class Answers:
    """A question with one answer or two, nuggets by their words in order; (words, importance, whether sides differ)."""

    question: Row
    sides: tuple[Shown, ...]
    nuggets: list[tuple[str, str, bool]]


class Results:
    """The published results of a home, open for the questions of one page."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def rows(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> list[Row]:
        """Return a query's rows as dicts."""
        cursor = self._connection.execute(query, parameters)
        columns = [column[0] for column in cursor.description or []]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def side(self, run_id: str, system: str = "") -> Side:
        """Find a side; where no system is named, the first of the run's leaderboard.

        Raises:
            UsageError: where there is no such finished run, or it has no such system.
        """
        found = self.rows("select * from run where run_id = ? and state = 'finished'", [run_id])
        if not found:
            raise UsageError(f"no finished run {run_id!r} in this home")
        systems = self.systems(run_id)
        if not systems or (system and system not in systems):
            raise UsageError(f"run {run_id} has no system {system!r}; it has: {', '.join(systems)}")
        return Side(run_id, system or systems[0], shown_name(found[0]), found[0]["dataset"])

    def systems(self, run_id: str) -> list[str]:
        """Return a run's systems, the best by nugget coverage first."""
        rows = self.rows(
            "select system from mart.system_score where run_id = ? and metric = 'nugget_coverage' and profile = 'any'"
            " order by value desc nulls last, system",
            [run_id],
        )
        return [row["system"] for row in rows]


def pairs(home: Path, run_a: str, system_a: str, run_b: str, system_b: str, chosen: Chosen) -> Pairs:
    """Return the questions of two sides that a filter leaves.

    Where side b names no system, it is the same one in another run, the last of the leaderboard in the same run.

    Raises:
        UsageError: where a run or a system is not there.
    """
    with of_this_version(home), published(home) as connection:
        results = Results(connection)
        a = results.side(run_a, system_a)
        systems_a, systems_b = results.systems(run_a), results.systems(run_b or run_a)
        if not system_b and systems_b:
            other = run_b and run_b != run_a and a.system in systems_b
            system_b = a.system if other else systems_b[-1]
        b = results.side(run_b or run_a, system_b)
        named = {"run_a": a.run_id, "system_a": a.system, "run_b": b.run_id, "system_b": b.system}
        every = results.rows(statement("statements/browse/pairs"), named)
        runs = {"run_a": a.run_id, "run_b": b.run_id}
        turned = results.rows(statement("statements/browse/turned"), runs) if a.run_id != b.run_id else []
    return Pairs(
        a,
        b,
        sorted(filter(chosen.has, every), key=chosen.place),
        len(every),
        systems_a,
        systems_b,
        sorted({row["category"] for row in every if row["category"]}),
        sorted({state for row in every for state in row["states"] if state}),
        sorted({reader for row in every for reader in row["readers"] if reader}),
        {row["system"]: row["n_newly_contradicted"] for row in turned},
    )


def answers(home: Path, question_id: str, sides: Sequence[tuple[str, str]]) -> Answers:
    """Return a question with the answers of one side or two.

    Raises:
        UsageError: where a run, a system or the question is not there.
    """
    with of_this_version(home), published(home) as connection:
        results = Results(connection)
        found = tuple(shown(results, results.side(*side), question_id) for side in sides)
        first = found[0].side
        questions = results.rows(
            "from questions where run_id = ? and question_id = ?", [first.run_id, question_id]
        )
    if not questions:
        raise UsageError(f"run {first.run_id} has no question {question_id!r}")
    order = {words: row for side in reversed(found) for words, row in side.nuggets.items()}
    words = sorted(order, key=lambda name: (order[name]["position"], name))
    return Answers(
        questions[0],
        found,
        [
            (
                name,
                order[name]["importance"],
                len({side.nuggets.get(name, {}).get("state") for side in found}) > 1,
            )
            for name in words
        ],
    )


def talk_of(results: Results, side: Side, question_id: str) -> list[Row]:
    """Return the turns of a conversation with their marks; none where the question stands alone."""
    of_side, key = "run_id = ? and system = ?", [side.run_id, side.system]
    turns = results.rows(f"from turns where {of_side} and conversation_id = ?", [*key, question_id])
    if not turns:
        return []
    of_turns = f"where {of_side} and question_id in (select unnest(?::varchar[]))"
    named = [*key, [row["question_id"] for row in turns]]
    views = ("answers", "citation_verdicts", "conversation_nuggets", "conversation_acts")
    data: dict[str, Any] = {
        view: results.rows(f"from {view} {of_turns} order by all", named) for view in views
    }
    return conversations(ReportData(turns=turns, **data)).get((question_id, side.system), [])


def shown(results: Results, side: Side, question_id: str) -> Shown:
    """Gather one answer with all that was found of it."""
    where = "where run_id = ? and system = ? and question_id = ?"
    key = [side.run_id, side.system, question_id]
    answered = results.rows(f"from answers {where}", key)
    found = Shown(side, answered[0] if answered else {"state": "not_answered", "answer": None})
    citations: dict[str, list[Row]] = {}
    for row in results.rows(f"from citation_verdicts {where} order by claim_id, ordinal", key):
        citations.setdefault(row["claim_id"], []).append(row)
    for row in results.rows(f"from claims {where} order by position", key):
        found.claims.append({**row, "citations": citations.get(row["claim_id"], [])})
    nuggets = results.rows(
        "select nugget_states.*, nugget.position from nugget_states"
        f" join mart.nugget as nugget using (run_id, question_id, nugget_id) {where} order by nugget.position",
        key,
    )
    found.nuggets = {row["nugget"]: row for row in nuggets}
    found.guidance = results.rows(f"from guidance_states {where} order by statement_id", key)
    found.judgements = results.rows(f"from judgements {where} order by judge, sample_no", key)
    found.talk = talk_of(results, side, question_id)
    scores = results.rows(
        "select nugget_coverage, contradiction_rate, citation_precision, rubric_score"
        f" from answer_scores {where}",
        key,
    )
    found.scores = scores[0] if scores else {}
    return found
