"""What the numbers of a run leave out: abstentions and failures by metric, and where each stands."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from medassay.metrics import BY_NAME, RUBRIC, headings
from medassay.models.counting import counted
from medassay.models.report.rows import ReportData, Row, Rows, count_of, grouped, text_of

MOST_REASONS = 3
LONGEST_REASON = 160

MOST_UNSEEN = 8
SILENT = ("empty", "refused", "not_answered")
SILENCE = "silence scores 0 on coverage and nothing on ratios over claims"
_IDENTIFIER = re.compile(r"\d{5,}|[0-9a-f]{16,}")  # reasons that differ in these alone are one reason
_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class _Gap:
    """What one metric's means leave out; metrics that leave out the same share a line."""

    n_answers: int
    systems: tuple[str, ...]
    reasons: tuple[tuple[str, str, int], ...]


def gaps(scores: Rows, unscored: Rows, labels: Mapping[str, str]) -> list[str]:
    """Return how many answers have no value and why, of each metric in `labels` that some answer has one of.

    A metric that no answer has a value of is said to be empty where it is shown; one that has nothing to measure in an
    answer leaves nothing out.

    Args:
        scores: rows of `system_scores`, of one profile a metric.
        unscored: rows of `unscored`, of the same profiles.
        labels: what each metric is called, in the order in which they are shown.
    """
    of_metric, why = grouped(scores, "metric"), grouped(unscored, "metric")
    alike: dict[_Gap, list[str]] = {}
    for metric in labels:
        rows, reasons = of_metric.get((metric,), []), why.get((metric,), [])
        if reasons and any(count_of(row.get("n_scored")) for row in rows):
            alike.setdefault(_gap(rows, reasons), []).append(metric)
    return [
        f"{', '.join(labels[metric] for metric in metrics)}: {_told(gap, metrics)}"
        for gap, metrics in alike.items()
    ]


def gaps_of(data: ReportData) -> list[str]:
    """Return the gaps of a report's leaderboard as sentences, without their full stops."""
    lines = gaps(data.system_scores, data.unscored, headings("report"))
    return [f"{line[:1].upper()}{line[1:]}" for line in lines]


def _gap(rows: Iterable[Row], unscored: Iterable[Row]) -> _Gap:
    counts: Counter[tuple[str, str]] = Counter()
    lacking = set()
    for row in unscored:
        counts[text_of(row.get("status")), text_of(row.get("reason"))] += count_of(row.get("n_answers"))
        lacking.add(text_of(row.get("system")))
    everyone = {text_of(row.get("system")): count_of(row.get("n_asked")) for row in rows}
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return _Gap(
        sum(everyone.values()),
        () if lacking >= everyone.keys() else tuple(sorted(lacking)),
        tuple((status, reason, n) for (status, reason), n in ordered),
    )


def _told(gap: _Gap, metrics: Iterable[str]) -> str:
    n_lacking = sum(n for *_, n in gap.reasons)
    what = "mark" if all(BY_NAME[metric].group is RUBRIC for metric in metrics) else "value"
    whose = f", all by {', '.join(gap.systems)}" if gap.systems else ""
    has = "has" if n_lacking == 1 else "have"
    return f"{n_lacking:,} of {gap.n_answers:,} answers {has} no {what}{whose} ({'; '.join(_statuses(gap))})"


def _statuses(gap: _Gap) -> list[str]:
    """Count each status, with the reasons of most of them; how many each is of where there are several."""
    told = []
    for status in dict.fromkeys(status for status, *_ in gap.reasons):
        own = [(reason, n) for of, reason, n in gap.reasons if of == status]
        shown = [(_short(reason), n) for reason, n in own[:MOST_REASONS]]
        if left := own[MOST_REASONS:]:
            shown.append(("for other reasons", sum(n for _, n in left)))
        words = [reason if len(own) == 1 else f"{n:,} × {reason}" for reason, n in shown]
        told.append(f"{sum(n for _, n in own):,} {status}: {', '.join(words)}")
    return told


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"


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
    counts: Counter[tuple[str, str]] = Counter()
    numbers = {text_of(row.get("question_id")): number for number, row in enumerate(data.questions)}

    def add(kind: str, reason: object, where: str, row: Row | None = None) -> None:
        told = _IDENTIFIER.sub("…", text_of(reason)) or "no reason was stored"
        number = None if row is None else numbers.get(text_of(row.get("question_id")))
        place = Place(where, number, "" if row is None else text_of(row.get("system")))
        groups.setdefault((kind, told), []).append(place)
        counts[kind, told] += 1

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
    for row in data.citation_verdicts:
        if row.get("state") == "unverifiable":
            add(
                "citation unverifiable",
                row.get("reason"),
                f"{_answer(row)}, {text_of(row.get('citation'))}",
                row,
            )
    for row in data.answers:
        if row.get("state") in SILENT:
            add(f"answer {text_of(row.get('state')).replace('_', ' ')}", SILENCE, _answer(row), row)
    counts |= _counted_in_all(data, told_elsewhere)
    listed = [
        LeftOut(
            kind, n, reason, tuple([place for place in groups.get((kind, reason), []) if place.words][:8])
        )
        for (kind, reason), n in counts.items()
    ]
    return sorted(listed, key=lambda item: (-item.count, item.kind))


def _counted_in_all(data: ReportData, told_elsewhere: set[str]) -> Counter[tuple[str, str]]:
    """Count what a large run leaves out, listed or not, by kind and reason."""
    found: Counter[tuple[str, str]] = Counter()
    for row in data.totals:
        kind, state = text_of(row["kind"]), text_of(row["state"])
        reason = _IDENTIFIER.sub("…", text_of(row["reason"])) or "no reason was stored"
        n = count_of(row["n"])
        if kind == "outcome" and state.partition(":")[0] not in told_elsewhere:
            found[state, reason] += n
        elif kind == "judgement":
            found[f"judge {state}", reason] += n
        elif kind == "citation" and state == "unverifiable":
            found["citation unverifiable", reason] += n
        elif kind == "answer" and state in SILENT:
            found[f"answer {state.replace('_', ' ')}", SILENCE] += n
    return found


def unseen_systems(quarantined: Rows) -> list[str]:
    """Return one sentence that says which systems are in no table, since all of their rows are in quarantine.

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
