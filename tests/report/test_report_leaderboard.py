"""The leaderboard and the head of the report: what they count, and what has to be known of intervals."""

from medassay.models.report.figures import cautions, dot_plots, long_scores, standings
from medassay.models.report.overview import counts_of
from medassay.models.report.rows import ReportData


def test_each_warning_of_an_interval_stands_once_with_its_metrics() -> None:
    few, same = "only 7 questions: the interval assumes normality", "every question has the same value"
    rows = [
        {"system": "a", "nugget_coverage": 0.5, "nugget_coverage_reason": few, "rubric_score_reason": "no judge"},
        {"system": "b", "nugget_coverage": 0.4, "nugget_coverage_reason": few, "citation_precision": 1.0,
         "citation_precision_reason": same},
    ]  # fmt: skip
    rows.append(
        {"system": "c", "nugget_coverage": 0.3, "nugget_coverage_reason": few, "citation_precision": 0.5}
    )
    assert cautions(standings(ReportData(leaderboard=rows))) == (
        f"Most numbers: {few}; Citation precision of b: {same}",
        f"Nugget coverage: {few}. Citation precision of b: {same}",
    )


def test_small_samples_of_several_sizes_are_one_warning() -> None:
    def few(n: int) -> str:
        return f"only {n} questions: the interval assumes normality"

    rows = [
        {"system": "a", "nugget_coverage": 0.5, "nugget_coverage_reason": few(14), "citation_precision": 0.5,
         "citation_precision_reason": few(12)},
        {"system": "b", "nugget_coverage": 0.4, "nugget_coverage_reason": few(14), "citation_precision": 1.0,
         "citation_precision_reason": few(9)},
        {"system": "c", "nugget_coverage": 0.3, "nugget_coverage_reason": few(14), "citation_precision": 0.5},
    ]  # fmt: skip
    assert cautions(standings(ReportData(leaderboard=rows))) == (
        "Most numbers: only 9 to 14 questions: the interval assumes normality",
        "Nugget coverage; Citation precision of a, b: only 9 to 14 questions: the interval assumes normality",
    )


def test_a_warning_of_too_many_metrics_to_name_is_counted() -> None:
    same = "every question has the same value"
    names = [
        "nugget_coverage",
        "factual_correctness",
        "contradiction_rate",
        "citation_precision",
        "citation_recall",
    ]
    rows = [
        {"system": "a", **dict.fromkeys(names, 1.0), **{f"{name}_reason": same for name in names[1:]}},
        {"system": "b", **dict.fromkeys(names, 0.5)},
    ]  # fmt: skip
    assert cautions(standings(ReportData(leaderboard=rows)))[0] == f"4 of 10 numbers: {same}"
    assert cautions(standings(ReportData(leaderboard=[]))) == ("", "")


def test_the_chart_of_completeness_says_what_it_counts() -> None:
    scores = long_scores(
        ReportData(leaderboard=[{"system": "a", "completeness": 0.96, "contradiction_rate": 0.9}])
    )
    assert [(plot.metric.name, plot.beside) for plot in dot_plots(scores, ["a"])] == [
        ("contradiction_rate", "lower is better"),
        ("completeness", "what is addressed, right or wrong (BioACE)"),
    ]
    assert [plot.beside for plot in dot_plots(scores, ["a"], "trec")] == ["lower is better", ""]


def test_the_head_counts_answers_as_the_leaderboard_does() -> None:
    """A refusal is an answer, and said to be one; a question that was left out is none."""
    states = ["refused"] * 7 + ["empty"] * 2 + ["not_answered"] * 3 + ["failed"]
    data = ReportData(answers=[{"system": "s", "state": state} for state in states])
    assert counts_of(data, ["s"])[1].note == "9 answers, 7 refused, 2 empty"
