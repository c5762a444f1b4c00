from dataclasses import replace
from typing import Any

from medassay.models.report import render
from medassay.models.report.judges import Duels, JudgeLine, standing
from medassay.models.report.rows import ReportData

LICENCE = [
    {
        "judge": "a",
        "sub_metric": "medical_correctness",
        "n_ordered_right": 16,
        "n_pairs": 16,
        "licensed": True,
    },
    {"judge": "a", "sub_metric": "safety", "n_ordered_right": 9, "n_pairs": 14, "licensed": False},
]


def held(judge: str = "a", **changes: Any) -> dict[str, Any]:
    given = {
        "judge": judge, "n_judges": 1, "n_samples": 1, "n_answers": 9, "n_scored": 8, "mean_score": 0.5,
        "repeat_spread": None, "aggregation": "one judge", "reason": None,
    }  # fmt: skip
    return {**given, **changes}


def test_a_single_judge_is_shown_with_what_it_saw_of_the_gold_pairs() -> None:
    found = standing(ReportData(judge_stability=[held()], judge_licences=LICENCE))
    assert found is not None
    assert found.lines == (
        JudgeLine(
            "a",
            "8 of 9",
            "medical correctness 16 of 16, safety 9 of 14",
            False,
            (0.5, None, None, None, None),
        ),
    )
    assert (found.lead, found.places, found.is_panel, found.has_repeats) == ("One judge.", (), False, False)


def test_a_panel_says_how_many_judges_it_is_worth_or_why_that_is_not_known() -> None:
    panel = [held(judge, n_judges=2, n_samples=3, effective_judges=1.24) for judge in "ab"]
    found = standing(ReportData(judge_stability=panel))
    assert found is not None
    assert found.lead == "One judge. They agree so far that they are worth 1.2 independent ones."
    assert [(line.licence, line.licensed) for line in found.lines] == [("not examined", None)] * 2
    assert (found.is_panel, found.has_repeats) == (True, True)
    few = standing(
        ReportData(judge_stability=[held(n_judges=2, reason="only 2 answers were marked by every judge")])
    )
    assert few is not None
    assert few.lead.endswith("How far they agree is not known: only 2 answers were marked by every judge.")


def test_a_liking_for_a_place_is_said_in_points() -> None:
    rows = [
        {"judge": "a", "n_answers": 2, "mean_residual": value, "p_value": 0.004, "order_disagreement": 0.25}
        for value in (0.301, -0.301)
    ]
    found = standing(ReportData(judge_stability=[held()], ranking_places=rows))
    assert found is not None
    assert found.places == (
        "Side by side, 2 answers at a time, a moved an answer's points by +0.30, -0.30 at places 1 to 2 "
        "(more than chance explains: p = 0.004); 25% of comparisons changed with the order.",
    )


def test_places_that_no_question_is_balanced_over_have_their_reason_and_not_zeros() -> None:
    row = {
        "judge": "a",
        "n_answers": 5,
        "mean_residual": None,
        "p_value": None,
        "reason": "no question is complete",
    }
    found = standing(ReportData(judge_stability=[held()], ranking_places=[row]))
    assert found is not None
    assert found.places == (
        "Side by side, 5 answers at a time, nothing can be said of the places that a likes: no question is complete.",
    )


def test_every_number_of_an_unlicensed_judge_is_marked_where_it_stands(report: ReportData) -> None:
    duel = {"system_a": "x", "system_b": "y", "wins": 3, "ties": 1, "losses": 2, "n_questions": 6}
    pair = {
        "stratum": "all", "profile": "any", "family": "primary", "difference": 0.1, "n_questions": 6,
        "system_a": "careful", "system_b": "cites-badly",
    }  # fmt: skip
    data = replace(
        report,
        runs=[{**report.run, "judge_licensed": False}],
        judge_stability=[held("https://llm.example/v1#a", n_judges=2), held("b", n_judges=2)],
        judge_licences=[{**row, "judge": "b", "licensed": True} for row in LICENCE],
        preference_counts=[
            {**duel, "preferred_by": "listwise", "judge_note": "unlicensed judge"},
            {**duel, "preferred_by": "metric"},
        ],
        comparisons=[{**pair, "metric": "rubric_score"}, {**pair, "metric": "nugget_coverage"}],
    )
    found = standing(data)
    assert found is not None
    assert found.duels == (Duels("x", "y", 3, 1, 2, 6),)
    page = render(data)
    mark = '<small class="caveat">unlicensed judge</small>'
    versus = page.split('<section id="versus">')[1].split("</section>")[0]
    assert f"Rubric score {mark}</th>" in versus
    assert "Nugget coverage</th>" in versus
    assert f"Whom the judge prefers side by side {mark}</h3>" in page
    # Only the judge without a licence is blamed, its name as it is written.
    assert "Unlicensed judge: https://llm.example/v1#a has not been examined;" in page
    assert "Https://" not in page


def test_a_judge_that_only_compares_is_shown_and_marked_as_unlicensed(report: ReportData) -> None:
    duel = {"system_a": "x", "system_b": "y", "wins": 3, "ties": 1, "losses": 2, "n_questions": 6}
    of_it = {**duel, "preferred_by": "listwise", "judge_note": "unlicensed judge"}
    page = render(replace(report, judge_stability=[], preference_counts=[of_it]))
    section = page.split('<section id="judges">')[1].split("</section>")[0]
    assert "It compared answers side by side, and gave no marks." in section
    assert (
        'Whom the judge prefers side by side <small class="caveat">unlicensed judge</small></h3>' in section
    )
    assert "Gold pairs ordered right" not in section
