"""Rows that decided a mark from evidence: links in the question's details."""

from typing import Any

from medassay.models.report import ReportData, render
from medassay.models.report.decided import Shown, decided
from tests.report.test_report_page import carried

Rows = dict[str, list[dict[str, Any]]]
SHOWN = {
    "n1": Shown("n", 0, "Aspirin; never for children"),
    "c2": Shown("c", 1, "Give aspirin.", ("[1]", "[2]")),
    "g1": Shown("g", 0, "recommend aspirin"),
}


def links(justification: str | None, *ids: str) -> list[list[Any]]:
    return decided({"justification": justification, "decided_by": list(ids)}, SHOWN)


def test_a_row_is_linked_where_the_justification_names_it() -> None:
    said = "The answer says the opposite of *Aspirin; never for children*; does what the guidance forbids: *recommend aspirin*."
    assert links(said, "n1", "g1") == [["n", 0, 33, 60, None], ["g", 0, 96, 113, None]]
    assert said[33:60] == "Aspirin; never for children"
    assert said[96:113] == "recommend aspirin"


def test_a_claim_named_twice_is_linked_to_its_citation_the_second_time() -> None:
    said = "the reference contradicts *Give aspirin.*; cites [2], which was retracted, for *Give aspirin.*; and 1 more."
    assert links(said, "c2", "c2", "n1") == [
        ["c", 1, 27, 40, None],
        ["c", 1, 80, 93, 1],
        ["n", 0, None, None, None],
    ]


def test_what_the_report_does_not_show_gets_no_link() -> None:
    assert links("does not say *Drinking helps*.", "n9") == []
    assert links("does not say *Aspirin; never for children*.", "n1", "n1") == [["n", 0, 14, 41, None]]
    assert links(None, "g1") == [["g", 0, None, None, None]]
    assert decided({"justification": "Well put.", "decided_by": None}, SHOWN) == []


def test_links_and_instructions_stand_in_the_details(a_run: Rows) -> None:
    nugget, claim = a_run["nuggets"][0], a_run["claims"][0]
    key = {name: claim[name] for name in ("run_id", "question_id", "system")}
    a_run["judgements"][0] |= {
        "justification": f"🩺 The answer says the opposite of *{nugget['nugget']}*.",
        "decided_by": [nugget["nugget_id"], claim["claim_id"], "g1"],
    }
    a_run["guidance_states"] = [
        key
        | {"statement_id": "g1", "kind": "dont", "words": "advise fasting", "kept": False, "state": "said",
           "claim_ids": [claim["claim_id"]], "reason": "the answer says *fast*"}
    ]  # fmt: skip
    answer = carried(render(ReportData(**a_run)), "d0")["answers"][0]
    assert answer["judgements"][0]["decided"] == [
        ["n", 0, 36, 36 + len(nugget["nugget"]), None],
        ["c", 0, None, None, None],
        ["g", 0, None, None, None],
    ]
    assert answer["instructions"] == [
        {"words": "advise fasting", "forbids": True, "claims": [0], "reason": "the answer says *fast*"}
    ]
