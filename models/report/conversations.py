"""Conversations as the report and the page of an answer show them: what was said, turn by turn, with its marks."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from medassay.models.report.rows import ReportData, Row, grouped, list_of, number_of, text_of

Mark = dict[str, str]
_ACTS = {"ask": ("asked", "Must be asked"), "raise": ("raised", "Red flag")}


def conversations(data: ReportData) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """Return the turns of each conversation by its question and system: what the user asks, the reply, its marks.

    A mark has the chip's state, what it says, and the words that it is about.
    """
    answers = grouped(data.answers, "question_id", "system")
    citations = grouped(data.citation_verdicts, "question_id", "system")
    nuggets = grouped(data.conversation_nuggets, "question_id", "system")
    acts = grouped(data.conversation_acts, "question_id", "system")
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for key, turns in grouped(data.turns, "conversation_id", "system").items():
        if max(_number(row, "n_turns") for row in turns) < 2:
            continue
        found[key] = [
            {
                "turn": (number := _number(row, "turn")),
                "asked": text_of(row.get("asked")),
                "text": text_of(answers.get((of_turn := _key(row)), [{}])[0].get("answer")),
                "marks": [
                    *(mark for one in nuggets.get(key, []) if (mark := _of_nugget(one, number))),
                    *(
                        mark
                        for one in acts.get(key, [])
                        if (mark := _of_act(one, number, _number(row, "n_turns")))
                    ),
                    *_of_citations(citations.get(of_turn, [])),
                ],
            }
            for row in sorted(turns, key=lambda row: _number(row, "turn"))
        ]
    return found


def _key(row: Row) -> tuple[str, str]:
    return text_of(row.get("question_id")), text_of(row.get("system"))


def _number(row: Mapping[str, Any], name: str) -> int:
    return int(number_of(row.get(name)) or 0)


def _of_nugget(row: Row, turn: int) -> Mark | None:
    states = [text_of(state) for state in list_of(row.get("turn_states"))]
    state = states[turn - 1] if turn <= len(states) else ""
    if state not in ("covered", "contradicted", "partial"):
        return None
    before = [one for one in states[: turn - 1] if one in ("covered", "contradicted")]
    said = "stated again" if state == "covered" and "covered" in before else ""
    if state == "contradicted" and "covered" in before:
        said = "unsaid: stated before"
    if state == "covered" and before[-1:] == ["contradicted"]:
        said = "corrected: contradicted before"
    return {"state": state, "says": said, "words": text_of(row.get("nugget"))}


def _of_act(row: Row, turn: int, n_turns: int) -> Mark | None:
    """Return what a turn does of what must be asked or raised, or what it leaves undone as the last that may do it."""
    done, what = _ACTS[text_of(row.get("kind"))]
    by_turn, words = _number(row, "by_turn"), text_of(row.get("words"))
    if _number(row, "turn") == turn:
        late = row.get("state") == "late"
        return {
            "state": "partial" if late else "covered",
            "says": done + f", late: by turn {by_turn}" * late,
            "words": words,
        }
    if turn == min(by_turn or n_turns, n_turns) and row.get("state") != "done":
        return {"state": "missing", "says": f"{what}: not by this turn", "words": words}
    return None


def _of_citations(rows: list[Row]) -> list[Mark]:
    counts = Counter(text_of(row.get("state")) for row in rows)
    return [
        {"state": state, "says": f"{count} citation{'s'[: count > 1]}", "words": ""}
        for state, count in counts.items()
        if state
    ]
