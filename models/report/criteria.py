"""Criteria in the report: scores by tag, and most often missed criteria."""

from dataclasses import dataclass

from medassay.models.report.rows import ReportData, Row, count_of, grouped, number_of, text_of

MOST_TAGS, MOST_SHOWN = 40, 15


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: how many answers and criteria it is of; of each system the mean and its interval, None where none is."""

    name: str
    n_answers: int
    n_criteria: int
    values: tuple[tuple[float | None, float | None, float | None], ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A criterion that cost a system points; `number` is the question's place in the report."""

    number: int
    question: str
    system: str
    criterion: str
    points: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """The report's section on criteria; `judge` gave the verdicts, `n_open` criteria of answers have none."""

    judge: str
    tags: tuple[Tag, ...]
    n_more_tags: int
    lost: tuple[Lost, ...]
    n_lost: int
    n_verdicts: int
    n_open: int


def criteria(data: ReportData, systems: list[str]) -> Criteria | None:
    """Return what the judge said of criteria, None where it said nothing."""
    judged = [row for row in data.criteria if row.get("met") is not None]
    if not judged:
        return None
    tags = [
        Tag(
            name,
            max(count_of(row.get("n_answers")) for row in rows),
            max(count_of(row.get("n_criteria")) for row in rows),
            tuple(_value_of(rows, system) for system in systems),
        )
        for (name,), rows in grouped(data.criteria_scores, "tag").items()
    ]
    places = {
        text_of(row.get("question_id")): (n, text_of(row.get("question")))
        for n, row in enumerate(data.questions)
    }
    costly = sorted(
        (row for row in judged if bool(row["met"]) == ((number_of(row.get("points")) or 0.0) < 0)),
        key=lambda row: -abs(number_of(row.get("points")) or 0.0),
    )
    lost = [
        Lost(
            *places[text_of(row.get("question_id"))],
            text_of(row.get("system")),
            text_of(row.get("criterion")),
            number_of(row.get("points")) or 0.0,
            text_of(row.get("evidence")),
        )
        for row in costly[:MOST_SHOWN]
        if text_of(row.get("question_id")) in places
    ]
    return Criteria(
        text_of(judged[0].get("judge")),
        tuple(sorted(tags, key=lambda tag: -tag.n_criteria)[:MOST_TAGS]),
        max(len(tags) - MOST_TAGS, 0),
        tuple(lost),
        len(costly),
        len(judged),
        len(data.criteria) - len(judged),
    )


def _value_of(rows: list[Row], system: str) -> tuple[float | None, float | None, float | None]:
    row: Row = next((row for row in rows if text_of(row.get("system")) == system), {})
    return number_of(row.get("value")), number_of(row.get("low")), number_of(row.get("high"))
