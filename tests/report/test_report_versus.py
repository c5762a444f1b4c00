from dataclasses import replace
from typing import Any

from medassay.models.report import ReportData, render
from medassay.models.report.close_calls import close_calls
from medassay.models.report.comparisons import MOST_MORE, agreements, arranged, contrasts, win_matrix
from medassay.models.report.scatter import scatters

PAIR: dict[str, Any] = {
    "profile": "seed", "metric": "nugget_coverage", "stratum": "all", "system_a": "careful",
    "system_b": "cites-badly", "family": "primary", "n_questions": 12, "n_dropped": 1, "difference": 0.47,
    "low": 0.31, "high": 0.62, "p_value": 0.0005, "p_adjusted": 0.001, "wins": 10, "ties": 2, "losses": 0,
}  # fmt: skip
ROWS = (
    {
        **PAIR, "family": "exploratory", "metric": "precision", "difference": 0.01, "p_adjusted": None,
        "p_value": 0.4,
    },
    PAIR,
    {
        **PAIR, "system_b": "fluent-but-wrong", "p_adjusted": 0.2, "n_questions": 12, "questions_needed": 52,
        "wins": 5, "losses": 5,
    },
    {**PAIR, "metric": "rubric_score", "difference": None, "reason": "fewer than six questions", "low": None},
    {**PAIR, "stratum": "risk_level=high"},
)  # fmt: skip


def test_each_pair_gets_a_verdict() -> None:
    found = contrasts(ReportData(comparisons=ROWS))
    assert [(c.metric, c.b, c.p_value, c.verdict) for c in found] == [
        ("Precision", "cites-badly", 0.4, ""),
        ("Nugget coverage", "cites-badly", 0.001, "more than chance"),
        (
            "Nugget coverage",
            "fluent-but-wrong",
            0.2,
            "could be chance; about 40 more questions would settle it",
        ),
        ("Rubric score", "cites-badly", 0.001, "fewer than six questions"),
    ]


def test_nobody_is_told_to_ask_more_than_a_thousand_questions(report: ReportData) -> None:
    rows = [
        {**PAIR, "p_adjusted": 0.9, "n_questions": 12, "questions_needed": needed, "system_b": system}
        for needed, system in ((1_012, "cites-badly"), (13_185, "fluent-but-wrong"))
    ]
    assert [item.verdict for item in contrasts(ReportData(comparisons=rows))] == [
        "could be chance; about 1,000 more questions would settle it",
        "no difference to be found",
    ]
    explained = "No difference to be found: more than 1,000 further questions would be needed"
    assert explained in render(replace(report, comparisons=rows))
    assert explained not in render(replace(report, comparisons=rows[:1]))


def test_the_win_matrix_reads_both_ways() -> None:
    systems = ("careful", "cites-badly", "fluent-but-wrong")
    assert win_matrix(ReportData(comparisons=ROWS), systems, "nugget_coverage") == {
        "careful": {"cites-badly": (10, 2, 0), "fluent-but-wrong": (5, 2, 5)},
        "cites-badly": {"careful": (0, 2, 10)},
        "fluent-but-wrong": {"careful": (5, 2, 5)},
    }


def test_agreement_stands_beside_its_ceiling(report: ReportData) -> None:
    rows: list[dict[str, Any]] = [
        {
            "metric": "nugget_coverage", "human_metric": "accuracy", "level": "system",
            "measure": "kendall_tau_b", "value": 0.51, "low": 0.3, "high": 0.7, "ceiling": 0.74, "n": 300,
            "n_systems": 30,
        }
    ]  # fmt: skip
    (found,) = agreements(ReportData(agreement=rows))
    assert (found.metric, found.measure, found.value, found.interval, found.ceiling, found.n) == (
        "Nugget coverage", "Kendall τ-b", 0.51, "0.30 to 0.70", 0.74, 30,
    )  # fmt: skip
    page = render(replace(report, agreement=rows, comparisons=ROWS))
    assert "Do people agree with these numbers?" in page
    assert "Is the difference more than chance?" in page


def test_a_small_family_is_shown_whole_and_read_from_the_leaders_side() -> None:
    found = arranged(ReportData(comparisons=ROWS), ["cites-badly", "careful"])
    assert [(c.a, c.b, c.difference, c.low, c.high, c.wins, c.losses) for c in found.shown] == [
        ("cites-badly", "careful", -0.47, -0.62, -0.31, 0, 10),
        ("careful", "fluent-but-wrong", 0.47, 0.31, 0.62, 5, 5),
    ]
    assert [c.metric for c in found.more] == ["Precision"]
    assert (found.nothing, found.leader_only, found.n_left) == (
        (("fewer than six questions", ("Rubric score",)),),
        False,
        0,
    )
    # A metric that nobody has a value of is not listed as one that could not be compared.
    scored = ReportData(comparisons=ROWS, system_scores=[{"metric": "precision", "value": 0.5}])
    assert arranged(scored, ["cites-badly", "careful"]).nothing == ()


def test_what_has_to_be_known_of_several_intervals_stands_once() -> None:
    few = "only 14 questions: the interval assumes normality"
    rows = [
        {**PAIR, "family": "primary", "system_a": a, "system_b": b, "p_adjusted": 0.5, "reason": few}
        for a, b in (("x", "y"), ("x", "z"), ("y", "z"))
    ]
    found = arranged(ReportData(comparisons=rows), ["x", "y", "z"])
    assert (found.caution, found.cautions) == (f"All numbers: {few}", f"Nugget coverage: {few}")
    assert not any("only 14" in item.verdict for item in found.shown)


def test_of_many_systems_the_leaders_pairs_are_shown_and_the_page_stays_small(report: ReportData) -> None:
    systems = [f"s{n:02}" for n in range(30)]
    rows = [
        {**PAIR, "family": family, "metric": metric, "system_a": a, "system_b": b}
        for family, metric in (
            ("primary", "nugget_coverage"),
            ("exploratory", "precision"),
            ("exploratory", "f1"),
        )
        for n, a in enumerate(systems)
        for b in systems[n + 1 :]
    ]
    found = arranged(ReportData(comparisons=rows), systems)
    assert (len(found.shown), len(found.more), found.n_left) == (29, MOST_MORE, 3 * 435 - 29 - MOST_MORE)
    assert found.leader_only and {c.a for c in found.shown} == {"s00"}
    assert len(render(replace(report, comparisons=rows))) - len(render(report)) < 400_000


def test_close_calls_are_ambiguous_nuggets_and_citations_at_the_cut_off() -> None:
    about = {"question_id": "q2", "system": "careful"}
    verdict = {**about, "claim": "It helps.", "state": "neutral"}
    data = ReportData(
        runs=({"run_id": "r", "settings": '{"supports_at": 0.5, "contradicts_at": 0.5}'},),
        questions=({"question_id": "q1", "question": "Why?"}, {"question_id": "q2", "question": "How?"}),
        nugget_states=(
            {**about, "nugget": "It works.", "state": "covered", "ambiguous": True, "margin": 0.02},
            {**about, "nugget": "It is sure.", "state": "covered", "ambiguous": False, "margin": 0.4},
        ),
        citation_verdicts=(
            {**verdict, "entailment": 0.49, "contradiction": 0.1},
            {**verdict, "entailment": 0.2, "contradiction": 0.53},
            {**verdict, "entailment": 0.4, "contradiction": 0.3},
            {**verdict, "entailment": None},
        ),
    )
    assert [(c.number, c.question, c.kind, c.text, c.why) for c in close_calls(data)] == [
        (1, "How?", "citation", "It helps.", "entailment 0.49, the cut-off is 0.50"),
        (
            1,
            "How?",
            "nugget",
            "It works.",
            "several nuggets are about as near to the claim: 0.02 between them",
        ),
        (1, "How?", "citation", "It helps.", "contradiction 0.53, the cut-off is 0.50"),
    ]


def test_a_difference_that_the_metric_cannot_have_is_not_called_detectable() -> None:
    open_still = {**PAIR, "p_adjusted": 0.2, "questions_needed": None}
    rows = [
        {**open_still, "metric": metric, "detectable_difference": least}
        for metric, least in [
            ("nugget_coverage", 0.4),
            ("nugget_coverage", 1.07),
            ("safety", 40.0),
            ("safety", 101.0),
        ]
    ]
    none = "could be chance; so few questions can show no difference at all"
    assert [c.verdict for c in contrasts(ReportData(comparisons=rows))] == [
        "could be chance; the least difference these questions can show is 0.40",
        none,
        "could be chance; the least difference these questions can show is 40.00",
        none,
    ]


def test_systems_are_drawn_by_our_score_and_peoples(report: ReportData) -> None:
    means = {"one": (0.2, 0.3), "two": (0.5, 0.5), "three": (0.5, 0.5), "four": (0.8, 0.7)}
    rows = [
        {
            "human_metric": "answer_accurate", "metric": "nugget_coverage", "system": system, "n_questions": 9,
            "human_mean": human, "automatic_mean": ours,
        }
        for system, (human, ours) in means.items()
    ]  # fmt: skip
    agreement = [
        {
            "human_metric": "answer_accurate", "metric": "nugget_coverage", "level": "system", "measure": "kendall",
            "value": 0.91, "low": None, "high": None, "ceiling": 0.8, "n": 36, "n_systems": 4,
        }
    ]  # fmt: skip
    data = ReportData(agreement=agreement, agreement_points=rows)
    (plot,) = scatters(data)
    assert (plot.title, plot.told, plot.ceiling) == (
        "Our nugget coverage against people's answer accurate",
        "Kendall τ-b 0.91",
        "people among themselves 0.80",
    )
    assert [p.system for p in plot.points] == list(means)
    assert plot.points[0].x < plot.points[1].x == plot.points[2].x < plot.points[3].x
    assert plot.points[0].y > plot.points[1].y == plot.points[2].y > plot.points[3].y
    assert plot.points[0].note == "one: people 0.20, nugget coverage 0.30, over 9 answers"
    assert scatters(ReportData(agreement_points=rows[:2])) == []
    assert "Our nugget coverage against people&#39;s answer accurate" in render(
        replace(report, agreement=agreement, agreement_points=rows)
    )
