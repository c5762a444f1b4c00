"""What the numbers of a run leave out, and where each of it stands."""

import re
from dataclasses import dataclass, field

from medassay.models.counting import counted
from medassay.models.report.rows import ReportData, Row, Rows, count_of, text_of

MOST_UNSEEN = 8

_IDENTIFIER = re.compile(r"\d{5,}|[0-9a-f]{16,}")  # reasons that differ in these alone are one reason
_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, in words; `number` is the question's place in the report, None where it has none."""

    words: str
    number: int | None
    system: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One kind of thing that does not count in the numbers, how many, the reason, and where each is."""

    kind: str
    count: int
    reason: str
    where: tuple[Place, ...] = field(default=())


def left_out(data: ReportData) -> list[LeftOut]:
    """Everything that the numbers leave out, grouped by reason, the commonest first."""
    groups: dict[tuple[str, str], list[Place]] = {}
    numbers = {text_of(row.get("question_id")): number for number, row in enumerate(data.questions)}

    def add(kind: str, reason: object, where: str, row: Row | None = None) -> None:
        told = _IDENTIFIER.sub("…", text_of(reason)) or "no reason was stored"
        number = None if row is None else numbers.get(text_of(row.get("question_id")))
        place = Place(where, number, "" if row is None else text_of(row.get("system")))
        groups.setdefault((kind, told), []).append(place)

    for row in data.quarantine:
        rule = " — ".join(text_of(row.get(name)) for name in ("rule", "advice") if row.get(name))
        add(f"{text_of(row.get('table_name')) or 'row'} in quarantine", rule, _place(row))
    told_elsewhere = {"judge"} if data.judgements else set()
    told_elsewhere |= {"fetch"} if data.citation_verdicts else set()
    for row in data.outcomes:
        if text_of(row.get("stage")) in told_elsewhere:
            continue
        kind = f"{text_of(row.get('stage'))}: {text_of(row.get('state')).replace('_', ' ')}"
        add(kind, row.get("reason"), _item(row), row)
    for row in data.judgements:
        if row.get("status") in ("abstained", "failed"):
            add(f"judge {text_of(row.get('status'))}", row.get("reason"), _answer(row), row)
    for row in data.citation_verdicts or data.citations:
        if row.get("state") == "unverifiable":
            add(
                "citation unverifiable",
                row.get("reason"),
                f"{_answer(row)}, {text_of(row.get('citation'))}",
                row,
            )
    for row in data.answers:
        if row.get("state") in ("empty", "refused", "not_answered"):
            state = text_of(row.get("state")).replace("_", " ")
            add(
                f"answer {state}",
                "silence scores 0 on coverage and nothing on ratios over claims",
                _answer(row),
                row,
            )
    listed = [
        LeftOut(kind, len(where), reason, tuple([place for place in where if place.words][:8]))
        for (kind, reason), where in groups.items()
    ]
    return sorted(listed, key=lambda item: (-item.count, item.kind))


def unseen_systems(quarantined: Rows) -> list[str]:
    """Say in one sentence which systems are in no table, since all of their rows are in quarantine.

    Args:
        quarantined: rows of `quarantined_systems`.
    """
    named = [f"{text_of(row['system'])} ({counted(row['n_rows'], 'row')})" for row in quarantined]
    more = [f"{len(named) - MOST_UNSEEN} more"] if len(named) > MOST_UNSEEN else []
    said = "in quarantine with all their rows, and so in no table: "
    return [said + ", ".join(named[:MOST_UNSEEN] + more)] if named else []


def _answer(row: Row) -> str:
    return " · ".join(text_of(row.get(name)) for name in ("question_id", "system") if row.get(name))


def _item(row: Row) -> str:
    """Name what was not scored: the source, or the first of the answers that it is part of; a key names nothing."""
    key, others = text_of(row.get("item_key")), count_of(row.get("n_places")) - 1
    if _KEY.search(key):
        return f"{_answer(row)} and {others} more" if others > 0 else _answer(row)
    return f"{_answer(row)}, {key}" if row.get("question_id") else key


def _place(row: Row) -> str:
    line = f":{count_of(row.get('line'))}" if row.get("line") is not None else ""
    key = f" ({text_of(row.get('row_key'))})" if row.get("row_key") else ""
    seen = f": {text_of(row.get('observed'))[:80]}" if row.get("observed") else ""
    return f"{text_of(row.get('file')).rsplit('/', 1)[-1]}{line}{key}{seen}"
