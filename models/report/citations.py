"""Citations in the report: rates by kind of text, citations to check first, missing and superfluous ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from medassay.metrics import shown_in
from medassay.models.report.passages_shown import label_of, place_of
from medassay.models.report.rows import ReportData, Row, count_of, number_of, text_of

MOST_SHOWN = 40
AT_ONCE = 10
_AROUND = 600
_LONGEST_WORD = 60
_GRAVITY = (
    "retracted",
    "contradicts",
    "not_found",
    "untraceable",
    "concern",
    "opposed",
    "partial",
    "neutral",
    "unverifiable",
    "needless",
)
_NEEDLESS = "Adds nothing: the claim's other sources carry it without this one."
_OPPOSED = {
    "supports": "Another passage of the same source contradicts the claim",
    "contradicts": "Another passage of the same source supports the claim",
}
_ONLY_TOGETHER = "By itself it does not carry the claim; together with the claim's other sources it does."
_KINDS = {
    "all": "all citations",
    "title": "titles",
    "abstract": "abstracts",
    "full_text": "full texts",
    "document": "supplied documents",
}

MOST_UNCITED = 12


@dataclass(frozen=True, slots=True)
class RateRow:
    """What became of one system's citations of one kind of text; a rate is None where nothing was judged."""

    system: str
    kind: str
    n: int
    supports: float | None
    partial: float | None
    contradicts: float | None
    n_not_found: int
    n_untraceable: int
    n_unverifiable: int
    n_retracted: int


@dataclass(frozen=True, slots=True)
class Troubled:
    """A citation that does not hold, could not be checked, or whose source was withdrawn: claim, source, what decided.

    `passage` is in three parts: before the deciding sentence, the sentence, behind it. `question` is its place in
    the report.
    """

    question: int | None
    system: str
    claim: str
    citation: str
    state: str
    title: str
    url: str
    entailment: float | None
    contradiction: float | None
    passage: tuple[str, str, str]
    retracted: bool
    concern: bool
    reason: str
    beside: str = ""
    """What it does beside the claim's other citations, where that is not what its state says."""
    opposing: tuple[str, str] = ("", "")
    """What another passage of the same source says of the claim, where that is the opposite, and its words."""
    label: str = ""
    """The section that the passage is of."""


def rates_by_kind(data: ReportData, systems: Sequence[str]) -> list[RateRow]:
    """The rates of each system, all citations first, unless they are all of one kind."""
    found = []
    for system in systems:
        rows = [row for row in data.citation_rates if text_of(row.get("system")) == system]
        whole = max((count_of(row.get("n_citations")) for row in rows), default=0)
        alone = any(r.get("text_kind") != "all" and count_of(r.get("n_citations")) == whole for r in rows)
        for row in sorted(rows, key=lambda row: list(_KINDS).index(text_of(row.get("text_kind")))):
            if alone and row.get("text_kind") == "all":
                continue
            found.append(
                RateRow(
                    system=system,
                    kind=_KINDS[text_of(row.get("text_kind"))],
                    n=count_of(row.get("n_citations")),
                    supports=number_of(row.get("supports_rate")),
                    partial=number_of(row.get("partial_rate")),
                    contradicts=number_of(row.get("contradicts_rate")),
                    n_not_found=count_of(row.get("n_not_found")),
                    n_untraceable=count_of(row.get("n_untraceable")),
                    n_unverifiable=count_of(row.get("n_unverifiable")),
                    n_retracted=count_of(row.get("n_retracted")),
                )
            )
    return found


def troubled(data: ReportData) -> tuple[list[Troubled], int]:
    """The citations to look at first, the gravest first, and how many there are in all.

    Where they are too many, some of every kind: a hundred contradictions would hide the one source that nobody knows.
    """
    places = {text_of(row.get("question_id")): place for place, row in enumerate(data.questions)}
    rows = [(gravity, row) for row in data.citation_verdicts if (gravity := _gravity(row)) is not None]
    rows.sort(key=lambda known: (known[0], -(number_of(known[1].get("contradiction")) or 0.0)))
    kinds = [list(kind) for _, kind in groupby(rows, key=lambda known: known[0])]
    in_turn = [known for turn in zip_longest(*kinds) for known in turn if known is not None]
    shown = sorted(in_turn[:MOST_SHOWN], key=lambda known: known[0])
    return [_troubled(row, places.get(text_of(row.get("question_id")))) for _, row in shown], len(rows)


def _gravity(row: Row) -> int | None:
    known = [flag for flag in ("retracted", "concern") if row.get(flag) == "yes"]
    state = text_of(row.get("state"))
    said = "needless" if state == "neutral" and _is_needless(row) else state
    opposed = ["opposed"] if opposing(row)[0] else []
    return min((_GRAVITY.index(f) for f in (*known, *opposed, said) if f in _GRAVITY), default=None)


def opposing(row: Row) -> tuple[str, str]:
    """What another passage of the cited source says of the claim, and its words; empty where none says the opposite."""
    passage = text_of(row.get("opposing_passage"))
    words = text_of(row.get("opposing_sentence")) or _ending(passage[:_AROUND], cut=len(passage) > _AROUND)
    return (_OPPOSED.get(text_of(row.get("state")), ""), words) if passage else ("", "")


def _is_needless(row: Row) -> bool:
    return row.get("set_entails") is True and row.get("contributes") is False


def _beside(row: Row) -> str:
    if _is_needless(row):
        return _NEEDLESS
    helps = row.get("set_entails") is True and row.get("contributes") is True
    return _ONLY_TOGETHER if helps and row.get("state") in ("neutral", "partial") else ""


def _troubled(row: Row, question: int | None) -> Troubled:
    url = text_of(row.get("url"))
    return Troubled(
        question=question,
        system=text_of(row.get("system")),
        claim=text_of(row.get("claim")),
        citation=text_of(row.get("citation")),
        state=text_of(row.get("state")),
        title=text_of(row.get("title")) or name_beside(row),
        url=url if url.startswith(("https://", "http://")) else "",
        entailment=number_of(row.get("entailment")),
        contradiction=number_of(row.get("contradiction")),
        passage=_in_three(row),
        retracted=row.get("retracted") == "yes",
        concern=row.get("concern") == "yes",
        reason=text_of(row.get("reason")),
        beside=_beside(row),
        opposing=opposing(row),
        label=label_of(row),
    )


def name_beside(row: Row) -> str:
    """Name a source that has no title, unless the citation says it already."""
    name = text_of(row.get("source_id"))
    return "" if name.partition(":")[2].casefold() in text_of(row.get("citation")).casefold() else name


def _in_three(row: Row) -> tuple[str, str, str]:
    passage = text_of(row.get("passage"))
    start, end = place_of(row)
    if not end:
        return _ending(passage[: 2 * _AROUND], cut=len(passage) > 2 * _AROUND), "", ""
    before, after = passage[:start], passage[end:]
    return (
        "… " + _beginning(before[-_AROUND:]) if len(before) > _AROUND else before,
        passage[start:end],
        _ending(after[:_AROUND], cut=len(after) > _AROUND),
    )


def _ending(text: str, *, cut: bool) -> str:
    """Leave off a word that is cut; where no space is near, as in Chinese, the text ends where it is cut."""
    whole = text.rsplit(None, 1)[0] if text.strip() else ""
    whole = whole if len(whole) >= len(text) - _LONGEST_WORD else text
    return f"{whole} …" if cut and text.strip() else text


def _beginning(text: str) -> str:
    whole = text.partition(" ")[2]
    return whole if len(whole) >= len(text) - _LONGEST_WORD else text


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over a system's questions, None where there is none; the bounds count what is unverifiable either way."""

    metric: str
    label: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def bounded(self) -> bool:
        """Return whether anything was unverifiable, so that the bounds differ."""
        return None not in (self.low, self.high) and self.low != self.high


@dataclass(frozen=True, slots=True)
class Uncited:
    """A claim that needs a citation and has none that leads to a source; `question` is its place in the report."""

    question: int | None
    system: str
    claim: str


def sufficiency(data: ReportData, systems: Sequence[str]) -> dict[str, list[Mean]]:
    """Return each system's means of the metrics shown as `sufficiency`, unless nothing of the kind was measured."""
    metrics = shown_in("sufficiency")
    values = {
        (text_of(row.get("system")), text_of(row.get("metric"))): number_of(row.get("value"))
        for row in data.system_scores
    }
    means = {
        system: [
            Mean(
                metric.name,
                metric.label,
                *(values.get((system, metric.name + end)) for end in ("", "_low", "_high")),
            )
            for metric in metrics
        ]
        for system in systems
    }
    return means if any(mean.value is not None for row in means.values() for mean in row) else {}


def uncited(data: ReportData) -> tuple[list[Uncited], int]:
    """Return claims without a citation, the systems in turn so that each is seen, and how many there are in all."""
    places = {text_of(row.get("question_id")): place for place, row in enumerate(data.questions)}
    found: dict[str, list[Row]] = {}
    for row in data.uncited_claims:
        found.setdefault(text_of(row.get("system")), []).append(row)
    longest = max(map(len, found.values()), default=0)
    turns = [rows[turn] for turn in range(longest) for rows in found.values() if turn < len(rows)]
    shown = [
        Uncited(
            places.get(text_of(row.get("question_id"))), text_of(row.get("system")), text_of(row.get("claim"))
        )
        for row in turns[:MOST_UNCITED]
    ]
    return sorted(shown, key=lambda item: item.system), len(turns)
