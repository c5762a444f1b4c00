import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from medassay.models.report import ReportData, render
from medassay.models.report.exclusions import Place, left_out
from medassay.models.report.figures import (
    columns_of,
    heat_map,
    standings,
)
from medassay.models.report.overview import headline, systems_of, warnings_of

Rows = dict[str, Any]


class Page(HTMLParser):
    """The visible words of a page, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.loads: list[tuple[str, str]] = []
        self.scripts: list[dict[str, str | None]] = []
        self.depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.depth += tag in ("script", "style")
        if tag == "script":
            self.scripts.append(values)
        for name in ("src", "href", "srcset", "data", "action"):
            # A link to a source loads nothing until a person follows it.
            if tag != "a" and (value := values.get(name)) and not value.startswith("#"):
                self.loads.append((tag, value))

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.depth and data.strip():
            self.words.append(" ".join(data.split()))

    @property
    def text(self) -> str:
        return " ".join(self.words)


def carried(page: str, block: str) -> Any:
    found = re.search(rf'<script type="application/json" id="{block}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_loads_nothing_and_says_who_leads(report: ReportData) -> None:
    page = Page(render(report))
    assert page.loads == []
    assert [script.get("type") for script in page.scripts] == ["application/json"] * 13 + [None]
    assert page.text.startswith("Twelve questions, three systems · MedAssay report")
    assert headline(report) == (
        "careful leads on nugget coverage (0.96), before cites-badly (0.49) and fluent-but-wrong (0.32). "
        "fluent-but-wrong contradicts the reference most often: 26 of 38 nuggets."
    )
    assert headline(report) in page.text


def test_who_is_first_by_chance_does_not_lead(report: ReportData) -> None:
    level = [{**row, "rank_low": 1} if row["system"] == "cites-badly" else row for row in report.leaderboard]
    assert headline(replace(report, leaderboard=level)).startswith(
        "careful is ahead on nugget coverage (0.96), before cites-badly (0.49) and fluent-but-wrong (0.32); "
        "these questions do not tell it from cites-badly. "
    )


def test_the_leaderboard_shows_ranks_intervals_and_counts(report: ReportData) -> None:
    rows = [
        (
            row.rank,
            row.system,
            [score.shown for score in row.scores],
            row.scores[0].interval,
            row.n_answered,
            row.n_refused,
        )
        for row in standings(report)
    ]
    assert rows == [
        ("1", "careful", ["0.96", "1.00", "0.00", "0.89", "0.89", "0.89"], "0.87 to 1.00", 12, 0),
        ("2–3", "cites-badly", ["0.49", "1.00", "0.00", "0.00", "0.00", "0.62"], "0.40 to 0.58", 11, 1),
        ("3", "fluent-but-wrong", ["0.32", "0.32", "0.68", "0.00", "0.00", "0.26"], "0.23 to 0.41", 12, 0),
    ]
    assert "12 scored, 1 refused, 2 abstained" in Page(render(report)).text


def test_a_missing_value_is_a_dash_with_its_reason(a_run: Rows) -> None:
    a_run["leaderboard"] = [
        {"run_id": a_run["runs"][0]["run_id"], "system": "quiet", "rubric_score_reason": "no judge was asked"}
    ]
    page = render(ReportData(**a_run))
    assert 'data-tip="no judge was asked">–</span><small class="why">no judge was asked</small>' in page


def test_a_column_that_no_system_has_is_a_line_with_its_reason(a_run: Rows) -> None:
    for row in a_run["leaderboard"]:
        row |= {"rubric_score": None, "rubric_score_reason": "no judge was asked"}
    page = Page(render(ReportData(**a_run | {"system_scores": ()})))
    # Below the leaderboard, and below the table of every metric.
    assert page.text.count("No rubric score: no judge was asked.") == 2
    assert columns_of(standings(ReportData(**a_run)))[1] == {"no judge was asked": ["Rubric score"]}


def test_nothing_at_all_is_still_a_page() -> None:
    page = Page(render(ReportData()))
    assert "No system has a score that could be ranked; the reasons are below." in page.text
    assert "Nothing: every row was read, every answer, claim and citation was scored." in page.text


@pytest.mark.parametrize(
    "view", [name for name in ReportData.__dataclass_fields__ if name not in ("warnings", "runs")]
)
def test_every_view_may_be_missing(report: ReportData, view: str) -> None:
    assert "</html>" in render(replace(report, **{view: ()}))


def test_only_the_rows_of_the_last_run_are_shown(a_run: Rows) -> None:
    older = {**a_run["runs"][0], "run_id": "older", "started_at": "2026-01-01T00:00:00Z", "name": "Older"}
    a_run["runs"].append(older)
    a_run["questions"].append({**a_run["questions"][0], "run_id": "older", "question": "Asked last year?"})
    page = render(ReportData(**a_run))
    assert "Asked last year?" not in page
    assert "Twelve questions, three systems" in page


def test_a_question_carries_what_its_drill_down_needs(report: ReportData) -> None:
    block = carried(render(report), "d0")
    wrong = block["answers"][2]
    assert wrong["system"] == "fluent-but-wrong"
    passage = wrong_passage(block)
    assert wrong["claims"][1] == {
        "start": 95,
        "end": 151,
        "state": "contradicts",
        "nugget": 1,
        "score": 0.9,
        "citations": [
            {
                "citation": "[2]",
                "source": "pmid:90000001",
                "state": "contradicts",
                "p": [0.03, 0.06, 0.91],
                "passage": block["passages"].index(passage),
                "start": passage.index("Lactic"),
                "end": passage.index(" The finding"),
                "label": "Abstract",
                "title": "A cohort study, part 2",
                "url": "https://pubmed.ncbi.nlm.nih.gov/90000001/",
                "flags": {"erratum": "unchecked"},
            }
        ],
    }
    assert wrong["text"][95:151] == "Lactic acidosis occurs in about one in ten patients [2]."
    assert wrong["nuggets"][1]["claims"] == [1]
    assert wrong["nuggets"][1]["reason"] == "The claim turns the nugget around: number or direction differ."


def wrong_passage(block: dict[str, Any]) -> str:
    (found,) = [text for text in block["passages"] if "one in ten patients" in text]
    return str(found)


def test_offsets_are_counted_as_a_browser_counts(a_run: Rows) -> None:
    first = a_run["claims"][1]
    answer = a_run["answers"][0]
    answer["answer"] = "🩺𝛃 " + answer["answer"]
    first |= {"span_start": first["span_start"] + 3, "span_end": first["span_end"] + 3}
    text = answer["answer"][first["span_start"] : first["span_end"]]
    claim = carried(render(ReportData(**a_run)), "d0")["answers"][0]["claims"][1]
    units = answer["answer"].encode("utf-16-le")
    assert units[2 * claim["start"] : 2 * claim["end"]].decode("utf-16-le") == text
    assert claim["start"] == first["span_start"] + 2


def test_an_answer_that_speaks_to_its_judge_is_shown_to(a_run: Rows) -> None:
    a_run["judgements"][0]["n_left_out"], a_run["judgements"][1]["n_left_out"] = 2, 0
    page = render(ReportData(**a_run))
    judged = [
        one for n in range(3) for answer in carried(page, f"d{n}")["answers"] for one in answer["judgements"]
    ]
    assert [one["spoke"] for one in judged if "spoke" in one] == [2]
    assert "speaks to its judge in" in page


def test_warnings_name_the_cause_and_the_cure(a_run: Rows) -> None:
    for verdict in a_run["citation_verdicts"]:
        verdict |= {
            "state": "unverifiable",
            "retracted": "unchecked",
            "reason": "this run is offline: run without it",
        }
    a_run["runs"][0]["settings"] = '{"threshold": 0.55}'
    licence = {"run_id": a_run["runs"][0]["run_id"], "judge": "gpt-large", "licensed": False}
    data = ReportData(**a_run, judge_licences=[licence], warnings=("Two judges disagreed.",))
    assert warnings_of(data) == [
        "Two judges disagreed.",
        "Unlicensed judge: gpt-large did not order enough of the gold pairs right. "
        "The marks are shown all the same.",
        "The matching threshold is 0.55: under 0.6, claims match nuggets that they do not speak of.",
        "No citation could be checked: this run is offline: run without it. Documents supplied with the data need "
        "no source.",
    ]


def test_what_was_left_out_is_grouped_by_reason(report: ReportData) -> None:
    judged = {
        "stage": "judge",
        "state": "abstained",
        "item_key": "q05",
        "reason": "three answers were not valid JSON",
    }
    assert left_out(replace(report, outcomes=[judged])) == left_out(report)
    assert [(item.kind, item.count, item.reason, item.where[0].words) for item in left_out(report)] == [
        (
            "citation unverifiable",
            7,
            "PubMed was not asked: set NCBI_EMAIL, or supply the documents.",
            "q02 · cites-badly, [3]",
        ),
        (
            "answer in quarantine",
            1,
            "question_id is among the questions — add the question, or mend the id",
            "answers.jsonl:37 (q99): q99",
        ),
        (
            "answer refused",
            1,
            "silence scores 0 on coverage and nothing on ratios over claims",
            "q10 · cites-badly",
        ),
        ("judge abstained", 1, "three answers were not valid JSON", "q05 · cites-badly"),
        ("judge abstained", 1, "there is no answer to judge", "q10 · cites-badly"),
        (
            "question in quarantine",
            1,
            "the line is one JSON object — mend or remove the line",
            "questions.jsonl:13",
        ),
    ]


def test_reasons_that_differ_in_a_number_alone_are_one_reason() -> None:
    outcomes = [
        {
            "stage": "fetch",
            "state": "not_found",
            "item_key": f"pmid:{number}",
            "reason": f"PubMed has no {number}",
        }
        for number in (12345678, 23456789)
    ]
    (item,) = left_out(ReportData(outcomes=outcomes))
    assert (item.kind, item.count, item.reason, item.where) == (
        "fetch: not found",
        2,
        "PubMed has no …",
        (Place("pmid:12345678", None, ""), Place("pmid:23456789", None, "")),
    )


def test_what_was_not_scored_is_named_by_question_and_system_and_never_by_its_key(report: ReportData) -> None:
    """An item without a place is counted and has no name."""
    key = "0123456789abcdef" * 2
    outcome = {"state": "failed", "reason": "HTTP 500", "item_key": key, "n_places": 1}
    outcomes = [
        {**outcome, "stage": "decompose", "question_id": "q02", "system": "careful", "n_places": 3},
        {**outcome, "stage": "entail", "item_key": key + key, "question_id": "q02", "system": "careful"},
        {**outcome, "stage": "fetch", "item_key": "pmid:1", "question_id": "q02", "system": "careful"},
        {**outcome, "stage": "joint", "n_places": 0},
        {**outcome, "stage": "listwise", "question_id": "q02"},
    ]
    data = ReportData(questions=report.questions, outcomes=outcomes)
    assert [(item.kind, item.count, item.where) for item in left_out(data)] == [
        ("decompose: failed", 1, (Place("q02 · careful and 2 more", 1, "careful"),)),
        ("entail: failed", 1, (Place("q02 · careful", 1, "careful"),)),
        ("fetch: failed", 1, (Place("q02 · careful, pmid:1", 1, "careful"),)),
        ("joint: failed", 1, ()),
        ("listwise: failed", 1, (Place("q02", 1, ""),)),
    ]
    assert key not in render(data)


def test_the_heat_map_counts_contradictions(report: ReportData) -> None:
    rows = heat_map(report, systems_of(report))
    assert [(cell.system, cell.value, cell.step, cell.n_contradicted) for cell in rows[0].cells] == [
        ("careful", 0.75, 7, 0),
        ("cites-badly", 0.75, 7, 0),
        ("fluent-but-wrong", 0.25, 3, 3),
    ]
    assert len(rows) == 12


def test_a_thousand_answers_stay_under_five_megabytes(make_run: Callable[..., Rows]) -> None:
    rows = make_run(334)
    for verdict in rows["citation_verdicts"]:
        if verdict["passage"]:
            verdict["passage"] = (
                f"{verdict['question_id']} {verdict['system']} " + verdict["passage"] + " And so on." * 120
            )
    page = render(ReportData(**rows))
    assert len(rows["answers"]) == 1002
    assert len(page.encode("utf-8")) < 5_000_000
    assert "passages are shortened to" in page
    assert all(f'id="d{number}"' in page for number in range(334))
