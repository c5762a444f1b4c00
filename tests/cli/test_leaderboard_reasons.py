"""The leaderboard of the terminal: names as they are, and why a dash stands there."""

import pytest

from medassay.flows.terminal.run import print_leaderboard, reasons
from medassay.flows.terminal.tables import print_comparisons


def test_every_dash_has_its_reason_once_with_the_systems_that_it_is_true_of() -> None:
    cites, claims = "the answer cites nothing (5); the answer makes no claim (3)", "the answer makes no claim"
    judge = dict.fromkeys(
        ("rubric_score_reason", "safety_capped_score_reason"), "no judge was asked for (--judge none)"
    )
    rows = [
        {"system": "alpha", "citation_precision_reason": cites, **judge},
        {"system": "beta", "citation_precision": 0.4, **judge},
        {"system": "gamma", "citation_precision_reason": claims, **judge},
        {"system": "delta", "citation_precision_reason": claims, **judge},
    ]
    assert reasons(rows) == [
        "citation precision of alpha: – the answer cites nothing (5); the answer makes no claim (3)",
        "citation precision of gamma, delta: – the answer makes no claim",
        "rubric score, safety-capped score: – no judge was asked for (--judge none)",
    ]
    assert reasons([]) == []


def test_names_are_printed_letter_by_letter_and_the_title_without_blanks_behind_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ["llama [/base]", "llama [base]", "llama [rag]", "gpt:heart:"]
    why = {"rubric_score_reason": "[/x] :x:", "judge_note": "[/y] :y:"}
    row = {"rank_low": 1, "rank_high": 4, "n_answered": 1, "n_asked": 1, "nugget_coverage": 0.5, **why}
    spread = {"nugget_coverage_interval_low": 0.25, "nugget_coverage_interval_high": 0.75}
    print_leaderboard([{"system": name, **row, **spread} for name in names], "d [/d] :x:")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "d [/d] :x:"
    assert [line.split("│")[2].strip() for line in shown if line.startswith("│ 1–4")] == names
    assert sum("0.50 0.25–0.75" in line for line in shown) == 4
    assert [name for name in ("nugget", "rubric", "citation") if f" {name} " in shown[2]] == ["nugget"]
    assert shown[-2:] == ["  rubric score: – [/x] :x:", "  rubric score: [/y] :y:"]


@pytest.mark.parametrize(("width", "n_tables"), [(80, 2), (100, 1), (124, 1), (150, 1)])
def test_a_narrow_terminal_shows_every_number_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, n_tables: int
) -> None:
    from medassay.flows.terminal import run
    from medassay.flows.terminal.console import results_console

    monkeypatch.setattr(run, "results_console", lambda _: results_console(width))
    systems = ["alpha", "beta", "gamma", "delta"]
    row = {"rank_low": 1, "rank_high": 4, "n_answered": 14, "n_asked": 14}
    names = ["nugget_coverage", "factual_correctness", "contradiction_rate", "citation_precision",
             "citation_recall", "rubric_score", "safety_capped_score"]  # fmt: skip
    few = "only 14 questions: the interval assumes normality"
    for place, name in enumerate(names):
        row |= {name: 0.1 * place, f"{name}_interval_low": 0.01, f"{name}_interval_high": 0.99,
                f"{name}_reason": few if place % 2 else "every question has the same value"}  # fmt: skip
    print_leaderboard([{"system": system, **row} for system in systems], "d")
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert max(map(len, lines)) <= width and "…" not in shown
    assert shown.count("0.01–0.99") == len(systems) * len(names)
    assert [shown.count(system) for system in systems] == [1, 1, 1, 1]
    assert shown.count("┏") == n_tables
    assert len([line for line in lines if line.startswith("  ")]) == 1


def test_what_is_compared_says_of_which_pair_a_reason_is_and_that_the_judge_is_unlicensed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    numbers = dict.fromkeys(
        ("difference", "low", "high", "p_adjusted", "detectable_difference", "questions_needed")
    )
    row = {"n_questions": 5, "n_dropped": 0, "wins": 0, "ties": 5, "losses": 0, "system_a": "x", **numbers}
    few, judge = {"reason": "too few", "judge_note": None}, {"reason": None, "judge_note": "unlicensed judge"}
    print_comparisons(
        [
            {**row, "metric": "nugget_coverage", "system_b": "y", **few},
            {**row, "metric": "nugget_coverage", "system_b": "z", **few, "reason": None},
            {**row, "metric": "rubric_score", "system_b": "y", **judge},
            {**row, "metric": "rubric_score", "system_b": "z", **judge},
        ]
    )
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  nugget coverage of x – y: too few",
        "  rubric score: unlicensed judge",
    ]
