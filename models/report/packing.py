"""JSON data blocks of the report, one a question."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from medassay.metrics import BY_NAME
from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.report.citations import name_beside, opposing
from medassay.models.report.conversations import conversations
from medassay.models.report.decided import Shown, decided
from medassay.models.report.passages_shown import label_of, place_of
from medassay.models.report.rows import ReportData, Row, grouped, list_of, number_of, text_of

Places = dict[str, int]
MOST_BYTES = 4_950_000
"""What a report may take: people send it around, and 5 MB pass every gate."""
_FLAGS = ("retracted", "concern", "erratum")
_PASSAGE_LIMITS = (20_000, 2_000, 700, 300)
_UNSAFE = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def safe_json(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it can close the element or open a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)


def pack_details(data: ReportData, systems: Sequence[str], budget: int) -> tuple[list[str], int]:
    """Every question's details as JSON, in the order of `data.questions`, and the passage limit that was needed.

    `budget` is what they may take, in bytes.

    Passages are shortened around their deciding sentence, all alike, when the whole would be too large; where
    even that is not enough, the later questions' details are empty strings, which the page says.
    """
    packers = _Grouped(data)
    blocks: list[str] = []
    longest = max((len(text_of(row.get("passage"))) for row in data.citation_verdicts), default=0)
    # What shortens no passage saves nothing: packing anew would take as long and come to the same.
    limits = [_PASSAGE_LIMITS[0], *(limit for limit in _PASSAGE_LIMITS[1:] if limit < longest)]
    for limit in limits:
        blocks, size = [], 0
        for question in data.questions:
            blocks.append(safe_json(packers.question(question, systems, limit)))
            size += len(blocks[-1].encode("utf-8"))
            if size > budget and limit != limits[-1]:
                break
        else:
            break
    return _within_budget(blocks, budget), limit


def _within_budget(blocks: list[str], budget: int) -> list[str]:
    size, kept = 0, []
    for block in blocks:
        size += len(block.encode("utf-8"))
        kept.append(block if size <= budget else "")
    return kept


class _Grouped:
    """Rows of a run by question and system, so that a question is packed without searching."""

    def __init__(self, data: ReportData) -> None:
        """Group once: 1,000 answers are tens of thousands of rows."""
        self.nuggets = grouped(data.nuggets, "question_id")
        self.answers = grouped(data.answers, "question_id", "system")
        self.states = grouped(data.nugget_states, "question_id", "system")
        self.claims = grouped(data.claims, "question_id", "system")
        self.verdicts = grouped(data.citation_verdicts, "question_id", "system")
        self.judgements = grouped(data.judgements, "question_id", "system")
        self.instructions = grouped(data.guidance_states, "question_id", "system")
        self.conversations = conversations(data)
        self.scores = grouped(data.answer_scores, "question_id", "system")

    def question(self, row: Row, systems: Sequence[str], limit: int) -> dict[str, Any]:
        """One question: its reference, its nuggets, and what each system made of it."""
        question_id = text_of(row.get("question_id"))
        nuggets = sorted(
            self.nuggets.get((question_id,), []), key=lambda nugget: number_of(nugget.get("position")) or 0
        )
        passages: dict[str, int] = {}
        by_id = {
            text_of(nugget.get("nugget_id")): Shown("n", place, text_of(nugget.get("nugget")))
            for place, nugget in enumerate(nuggets)
        }
        answers = [
            self._answer(question_id, system, by_id, passages, limit)
            for system in systems
            if (question_id, system) in self.answers or (question_id, system) in self.scores
        ]
        return _without_nothing(
            {
                "reference": text_of(row.get("reference_answer")),
                "guidance": text_of(row.get("guidance")),
                "profile": text_of(row.get("profile")),
                "messages": text_of(row.get("messages")),
                "risk": text_of(row.get("risk_level")),
                "nuggets": [
                    _without_nothing(
                        {
                            "text": text_of(nugget.get("nugget")),
                            "importance": text_of(nugget.get("importance")),
                            "origin": text_of(nugget.get("origin")),
                            "by": text_of(nugget.get("made_by"))
                            if nugget.get("origin") == "edited"
                            else None,
                            "was": text_of(nugget.get("provenance"))
                            if nugget.get("origin") == "edited"
                            else None,
                        }
                    )
                    for nugget in nuggets
                ],
                "answers": answers,
                "passages": list(passages),
            }
        )

    def _answer(
        self, question_id: str, system: str, nuggets: dict[str, Shown], passages: Places, limit: int
    ) -> dict[str, Any]:
        key, nugget_places = (question_id, system), _places(nuggets)
        answer: Row = self.answers.get(key, [{}])[0]
        text = text_of(answer.get("answer"))
        claims = sorted(self.claims.get(key, []), key=lambda claim: number_of(claim.get("position")) or 0)
        claim_ids = [text_of(claim.get("claim_id")) for claim in claims]
        claim_places = _places(claim_ids)
        verdicts = grouped(self.verdicts.get(key, []), "claim_id")
        states = {text_of(s.get("nugget_id")): s for s in self.states.get(key, [])}
        instructions = self.instructions.get(key, [])
        shown = nuggets | {
            claim_id: Shown(
                "c",
                place,
                text_of(claim.get("claim")),
                tuple(text_of(verdict.get("citation")) for verdict in verdicts.get((claim_id,), [])),
            )
            for place, (claim_id, claim) in enumerate(zip(claim_ids, claims, strict=True))
        }
        shown |= {
            text_of(one.get("statement_id")): Shown("g", place, text_of(one.get("words")))
            for place, one in enumerate(instructions)
        }
        return _without_nothing(
            {
                "system": system,
                "state": text_of(answer.get("state")),
                "text": text,
                "talk": self.conversations.get(key),
                "claims": [
                    _claim(claim, text, nugget_places, verdicts.get((claim_id,), []), passages, limit)
                    for claim, claim_id in zip(claims, claim_ids, strict=True)
                ],
                "nuggets": [
                    _nugget_state(states.get(nugget_id, {}), claim_places) for nugget_id in nugget_places
                ],
                "instructions": [_instruction(row, claim_places) for row in instructions],
                "judgements": [_judgement(row, shown) for row in self.judgements.get(key, [])],
                "scores": _scores(self.scores.get(key, [{}])[0]),
            }
        )


def _claim(
    row: Row, answer: str, nuggets: Places, verdicts: list[Row], passages: Places, limit: int
) -> dict[str, Any]:
    start, end = _offsets(row, ("span_start", "start"), ("span_end", "end"), len(answer))
    words = text_of(row.get("claim"))
    return _without_nothing(
        {
            "text": None if words == answer[start:end] else words,
            "start": _utf16(answer, start),
            "end": _utf16(answer, end),
            "state": text_of(row.get("state")) or text_of(row.get("kind")),
            "nugget": nuggets.get(text_of(row.get("nugget_id"))),
            "score": _rounded(row.get("score")),
            "also": _among(nuggets, row.get("potentially_matched")),
            "why": text_of(row.get("kind_reason")),
            "uncited": text_of(row.get("needs_reason")) if row.get("needs_citation") is False else None,
            "citations": [_citation(verdict, passages, limit) for verdict in verdicts],
        }
    )


def _citation(row: Row, passages: Places, limit: int) -> dict[str, Any]:
    passage = text_of(row.get("passage"))
    passage, start, end, cut = _shortened(passage, *place_of(row), limit)
    place = passages.setdefault(passage, len(passages)) if passage else None
    return _without_nothing(
        {
            "citation": text_of(row.get("citation")),
            "source": name_beside(row),
            "state": text_of(row.get("state")),
            "p": [_rounded(row.get(name)) for name in ("entailment", "neutral", "contradiction")]
            if row.get("entailment") is not None
            else None,
            "passage": place,
            "start": _utf16(passage, start) if end > start else None,
            "end": _utf16(passage, end) if end > start else None,
            "cut": cut,
            "label": label_of(row),
            "title": text_of(row.get("title")),
            "url": text_of(row.get("url")),
            "flags": {flag: text_of(row[flag]) for flag in _FLAGS if row.get(flag) not in (None, "no")},
            "opposing": list(opposing(row)) if opposing(row)[0] else None,
            "idle": row.get("set_entails") is True and row.get("contributes") is False,
            "coverage": _rounded(row.get("coverage")) if row.get("coverage") not in (None, 1.0) else None,
            "reason": text_of(row.get("reason")),
        }
    )


def _nugget_state(row: Row, claims: Places) -> dict[str, Any]:
    return _without_nothing(
        {
            "state": text_of(row.get("state")),
            "score": _rounded(row.get("score")),
            "margin": _rounded(row.get("margin")),
            "claims": _among(claims, row.get("claim_ids")),
            "conflict": bool(row.get("conflict")),
            "ambiguous": bool(row.get("ambiguous")),
            "reason": text_of(row.get("reason")),
        }
    )


def _instruction(row: Row, claims: Places) -> dict[str, Any]:
    return _without_nothing(
        {
            "words": text_of(row.get("words")),
            "forbids": row.get("kind") == "dont",
            "kept": bool(row.get("kept")),
            "claims": _among(claims, row.get("claim_ids")),
            "reason": text_of(row.get("reason")),
        }
    )


def _judgement(row: Row, shown: dict[str, Shown]) -> dict[str, Any]:
    justification = text_of(row.get("justification"))
    links = [
        [kind, place, *(end if end is None else _utf16(justification, end) for end in ends), citation]
        for kind, place, *ends, citation in decided(row, shown)
    ]
    raw, kept = number_of(row.get("evidence_sufficiency_raw")), number_of(row.get("evidence_sufficiency"))
    return _without_nothing(
        {
            "judge": text_of(row.get("judge")),
            "status": text_of(row.get("status")),
            "marks": [number_of(row.get(name)) for name in SUB_METRICS],
            "raw": raw if raw is not None and raw != kept else None,
            "score": _rounded(row.get("rubric_score")),
            "bounds": _bounds(row),
            "capped": _rounded(row.get("safety_capped_score")),
            "justification": justification,
            "decided": links,
            "answered": text_of(row.get("model_answered")),
            "spoke": number_of(row.get("n_left_out")) or None,
            "unguided": row.get("guidance_given") is False,
            "reason": text_of(row.get("reason")),
        }
    )


def _bounds(row: Row) -> list[float | None] | None:
    """Return between what the score lies where a mark is missing."""
    if row.get("rubric_score") is not None or row.get("rubric_score_low") is None:
        return None
    return [_rounded(row.get(name)) for name in ("rubric_score_low", "rubric_score_high")]


def _scores(row: Row) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for name in BY_NAME:
        value, reason = number_of(row.get(name)), text_of(row.get(f"{name}_reason"))
        if value is not None:
            scores[name] = _rounded(value)
        elif reason:
            scores[name] = reason
    return scores


def _shortened(passage: str, start: int, end: int, limit: int) -> tuple[str, int, int, bool]:
    """Keep what stands around the deciding sentence; offsets move along."""
    if len(passage) <= limit:
        return passage, start, end, False
    if end <= start:
        start = end = 0
    spare = max(limit - (end - start), 0) // 2
    first = max(0, min(start - spare, len(passage) - limit))
    last = min(len(passage), max(first + limit, end))
    return passage[first:last], start - first, end - first, True


def _offsets(row: Row, starts: tuple[str, ...], ends: tuple[str, ...], length: int) -> tuple[int, int]:
    def first(names: tuple[str, ...]) -> int:
        return next((int(value) for name in names if (value := number_of(row.get(name))) is not None), 0)

    start = min(max(first(starts), 0), length)
    return start, min(max(first(ends), start), length)


def _utf16(text: str, offset: int) -> int:
    """The offset as a browser counts: characters beyond the basic plane take two."""
    if text.isascii():
        return offset
    return offset + bisect_left(_beyond_basic_plane(text), offset)


@lru_cache(maxsize=64)
def _beyond_basic_plane(text: str) -> list[int]:
    """Return where such characters stand; kept, since an answer is asked of once for each of its claims."""
    return [place for place, character in enumerate(text) if ord(character) > 0xFFFF]


def _places(ids: Iterable[str]) -> Places:
    return {name: place for place, name in enumerate(ids)}


def _among(places: Places, wanted: Any) -> list[int]:
    """Return the places of the ids in a list, those that have one."""
    return [places[name] for name in map(text_of, list_of(wanted)) if name in places]


def _rounded(value: Any) -> float | None:
    number = number_of(value)
    return None if number is None else round(number, 3)


def _without_nothing(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in values.items() if value not in (None, "", [], {}) and value is not False
    }
