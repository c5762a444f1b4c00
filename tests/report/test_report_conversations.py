"""A conversation in the report: its turns with their marks."""

from typing import Any

from medassay.models.report.conversations import conversations
from medassay.models.report.packing import pack_details
from medassay.models.report.rows import ReportData


def of(question_id: str, **more: Any) -> dict[str, Any]:
    return {"run_id": "r", "question_id": question_id, "system": "s", **more}


DATA = ReportData(
    questions=(of("c", question="What helps?", profile="A woman of 30.", risk_level="high"),),
    turns=tuple(
        of(name, conversation_id="c", turn=n, n_turns=3, asked=f"asked {n}")
        for n, name in ((3, "c"), (1, "c, turn 1"), (2, "c, turn 2"))
    ),
    answers=(of("c", answer="third"), of("c, turn 1", answer="first"), of("c, turn 2", answer="second")),
    conversation_nuggets=(
        of("c", nugget="Turned.", turn_states=["covered", "contradicted", "missing"]),
        of("c", nugget="Mended.", turn_states=["contradicted", "missing", "covered"]),
    ),
    conversation_acts=(
        of("c", kind="ask", words="Late?", by_turn=1, state="late", turn=2),
        of("c", kind="ask", words="Fever?", by_turn=None, state="missing", turn=None),
        of("c", kind="raise", words="Blood.", by_turn=2, state="done", turn=1),
    ),
    citation_verdicts=(of("c, turn 2", state="supports"), of("c, turn 2", state="supports")),
)


def test_each_turn_has_what_was_said_and_what_was_found_of_it() -> None:
    turns = conversations(DATA)["c", "s"]
    assert [(one["turn"], one["asked"], one["text"]) for one in turns] == [
        (1, "asked 1", "first"), (2, "asked 2", "second"), (3, "asked 3", "third"),
    ]  # fmt: skip
    assert [[tuple(mark.values()) for mark in one["marks"]] for one in turns] == [
        [
            ("covered", "", "Turned."),
            ("contradicted", "", "Mended."),
            ("missing", "Must be asked: not by this turn", "Late?"),
            ("covered", "raised", "Blood."),
        ],
        [
            ("contradicted", "unsaid: stated before", "Turned."),
            ("partial", "asked, late: by turn 1", "Late?"),
            ("supports", "2 citations", ""),
        ],
        [
            ("covered", "corrected: contradicted before", "Mended."),
            ("missing", "Must be asked: not by this turn", "Fever?"),
        ],
    ]


def test_the_details_of_its_question_hold_the_conversation_and_what_the_judge_is_shown() -> None:
    (block,), _ = pack_details(DATA, ["s"], 100_000)
    assert '"profile":"A woman of 30.","risk":"high"' in block
    assert '"talk":[{"turn":1,"asked":"asked 1","text":"first"' in block
