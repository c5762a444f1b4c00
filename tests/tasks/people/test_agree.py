"""Agreement with people from frozen scores, without Prefect."""

from typing import Any

import pytest

from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.people.agree import freeze_agreement
from tests.rows import freeze_scores, run_row


def freeze(warehouse: Warehouse, ours: dict[str, dict[str, list[float | None]]], text: str = "") -> None:
    """Freeze a run of the data set `d`: our scores by metric and system, a value a question."""
    warehouse.append("run", [run_row(state="running")])
    warehouse.insert("text", [{"text_key": "t", "text": text}])
    freeze_scores(warehouse, ours)
    warehouse.execute("update mart.answer set text_key = 't'")


def score(warehouse: Warehouse, people: dict[str, dict[str, list[float]]], **more: Any) -> None:
    """Add human scores: by metric and system, a value a question."""
    warehouse.append(
        "human_score",
        [
            {
                "dataset": "d", "question_id": f"q{i}", "system": system, "annotator": "experts",
                "metric": metric, "target": "answer", "role": "tune", "judge": "", "item": "", "score": value,
                **more,
            }
            for metric, by_system in people.items()
            for system, values in by_system.items()
            for i, value in enumerate(values)
        ],
    )  # fmt: skip


def measured(warehouse: Warehouse, where: str = "stands_in") -> list[Row]:
    freeze_agreement(warehouse, "r")
    return warehouse.rows(f"from agreement where {where} order by stratum, level, measure")


def test_a_metric_against_the_human_one_it_stands_for(warehouse: Warehouse) -> None:
    ours = {"a": [0.9, 0.8], "b": [0.5, 0.5], "c": [0.1, None]}
    freeze(warehouse, {"precision": ours, "recall": ours})
    score(warehouse, {"required_sentences": {"a": [1.0, 0.9], "b": [0.6, 0.5], "c": [0.2, 0.1]}})
    few, chosen = "2 questions are too few for an interval", "tie cut-offs chosen on the other questions"
    shown = ("level", "measure", "value", "ceiling", "baseline", "n", "n_systems", "reason")
    found = [tuple(row[name] for name in shown) for row in measured(warehouse)]
    one = pytest.approx(1.0)
    assert [row for row in found if "kendall" in row[1] or row[1].startswith("accuracy")] == [
        # One tie of ours among ten pairs: 9 / √(9 · 10).
        ("answer", "kendall", pytest.approx(9 / 90**0.5), None, None, 5, 3, few),
        ("answer", "kendall within questions", one, None, None, 2, 3, few),
        # The third system's second answer is unreadable: two of six pairs and one of two triples are wrong.
        ("pair", "accuracy_2tuple", 4 / 6, None, 1.0, 6, None, f"{few}; {chosen}"),
        ("system", "kendall", one, 1.0, None, 5, 3, "3 systems are too few for an interval"),
        (
            "system",
            "kendall on other questions",
            None,
            1.0,
            None,
            5,
            3,
            "in most splits all systems score the same",
        ),
        ("triple", "accuracy_triple", 1 / 2, None, 1.0, 2, None, f"{few}; {chosen}"),
    ]
    assert measured(warehouse, "metric = 'recall' and stands_in") == []


def test_the_length_of_answers_is_the_baseline(warehouse: Warehouse) -> None:
    """What people score follows how much is said: a metric has to tell more than that."""
    ours = {"a": [0.9, 0.8], "b": [0.5, 0.9], "c": [0.7, 0.2]}
    freeze(warehouse, {"nugget_coverage": ours})
    people = {"a": [0.3, 0.5], "b": [0.6, 0.7], "c": [0.9, 0.8]}
    score(warehouse, {"clusters_required": people})
    for system, length in (("a", 100), ("b", 200), ("c", 300)):
        warehouse.execute("update mart.answer set n_characters = ? where system = ?", [length, system])
    rows = measured(warehouse, "stands_in and level in ('answer', 'system') and measure like 'kendall%'")
    # scipy.stats.kendalltau([100, 100, 200, 200, 300, 300], [.3, .5, .6, .7, .9, .8])
    assert [(row["level"], row["measure"], row["baseline"]) for row in rows] == [
        ("answer", "kendall", pytest.approx(0.8944271909999159, abs=1e-9)),
        ("answer", "kendall within questions", None),
        ("system", "kendall", pytest.approx(1.0)),
        ("system", "kendall on other questions", pytest.approx(1.0)),
    ]


def test_agreement_is_measured_on_test_rows_and_the_cut_off_on_tune_rows(warehouse: Warehouse) -> None:
    freeze(warehouse, {"precision": {"a": [0.6, 0.6], "b": [0.5, 0.5]}})
    score(warehouse, {"required_sentences": {"a": [1.0], "b": [1.0]}})
    warehouse.execute(
        "insert into human_score select * replace ('q1' as question_id, 'test' as role) from human_score"
    )
    (pair,) = measured(warehouse, "level = 'pair'")
    assert (pair["value"], pair["n"]) == (1.0, 1)
    assert (
        pair["reason"] == "1 question is too few for an interval; tie cut-off 0.100 chosen on the tune rows"
    )


def test_aspects_are_averaged_and_people_held_against_each_other(warehouse: Warehouse) -> None:
    freeze(warehouse, {"rubric_score": {"a": [0.9, 0.4], "b": [0.5, 0.2]}})
    people = {"relevancy": {"a": [5, 3], "b": [3, 1]}, "fluency": {"a": [5, 5], "b": [3, 1]}}
    score(warehouse, people, annotator="one")
    score(warehouse, people, annotator="two")
    rows = measured(warehouse, "human_metric = 'human_score' and (metric = 'humans' or measure = 'kendall')")
    assert [(r["level"], r["measure"], r["value"], r["ceiling"], r["n"]) for r in rows] == [
        ("answer", "ICC(2,1)", 1.0, None, 4),
        ("answer", "ICC(2,k)", 1.0, None, 4),
        ("answer", "Krippendorff's α", 1.0, None, 4),
        ("answer", "kendall", pytest.approx(2 / 3), 1.0, 4),
        ("system", "kendall", 1.0, 1.0, 4),
    ]


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C; None where an observer gave nothing.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


@pytest.mark.parametrize(("scale", "level", "published"), [(1.0, "ordinal", 0.815), (0.5, "interval", 0.849)])
def test_ratings_are_ranks_and_other_scores_are_not(
    warehouse: Warehouse, scale: float, level: str, published: float
) -> None:
    freeze(warehouse, {"factual_correctness": {"a": [0.5] * 12}})
    for annotator, ratings in OBSERVERS.items():
        for place, rating in enumerate(ratings):
            if rating is not None:
                score(
                    warehouse, {"knowledge_correctness": {"a": [rating * scale]}}, annotator=annotator,
                    question_id=f"q{place}",
                )  # fmt: skip
    (row,) = measured(warehouse, "measure like 'Krippendorff%'")
    assert (row["value"], row["n"]) == (pytest.approx(published, abs=5e-4), 11)
    assert row["reason"] == f"α at the {level} level of measurement; only 11 items: the interval is rough"


def test_required_sentences_are_a_share_of_the_sentences(warehouse: Warehouse) -> None:
    freeze(
        warehouse,
        {"precision": {"a": [0.5], "b": [0.25]}},
        text="Rest helps. Ice helps. Heat may harm. See a doctor.",
    )
    score(warehouse, {"n_required_sentences": {"a": [2.0], "b": [1.0]}})
    (row,) = measured(
        warehouse, "human_metric = 'required_sentences' and measure = 'pearson' and level = 'answer'"
    )
    assert (row["metric"], row["value"], row["n"], row["n_systems"]) == (
        "precision",
        pytest.approx(1.0),
        2,
        2,
    )


def label_nuggets(
    warehouse: Warehouse, states: list[str], labels: dict[str, list[str | None]], **more: Any
) -> None:
    """Add nuggets of the first question in these states, and what each physician says of them."""
    freeze(warehouse, {"precision": {"a": [0.5]}})
    for place, state in enumerate(states):
        own = {"run_id": "r", "question_id": "q0", "nugget_id": f"n{place}"}
        warehouse.insert("text", [{"text_key": f"k{place}", "text": f"nugget {place}"}])
        warehouse.append(
            "mart.nugget",
            [{**own, "position": place, "text_key": f"k{place}", "importance": "vital", "origin": "given"}],
        )
        warehouse.append(
            "mart.nugget_state",
            [
                {
                    **own, "system": "a", "state": state, "claim_ids": ["c"], "conflict": False,
                    "ambiguous": False, "contrasts": "[]",
                }
            ],
        )  # fmt: skip
    for annotator, given in labels.items():
        for place, label in enumerate(given):
            if label is not None:
                score(
                    warehouse, {"nugget_label": {"a": [0.0]}}, annotator=annotator, label=label,
                    item=f"nugget {place} ", target="nugget", **more,
                )  # fmt: skip


def test_labels_of_nuggets(warehouse: Warehouse) -> None:
    said: list[str | None] = ["entailment", "entailment", "contradiction", "neutral"]
    label_nuggets(
        warehouse,
        ["covered", "partial", "contradicted", "missing"],
        {"1": said, "2": said, "3": ["neutral"] * 4},
    )
    rows = measured(warehouse)
    assert [(r["stratum"], r["metric"], r["measure"], r["value"], r["ceiling"], r["baseline"], r["n"]) for r in rows] == [
        ("all", "nugget_state", "Cohen's κ", pytest.approx(7 / 11), None, None, 4),
        # sklearn.metrics.cohen_kappa_score with each: 7/11, 7/11 and 0; beside 1, 0 and 0 among the physicians.
        ("all", "nugget_state", "Cohen's κ with one physician", pytest.approx(14 / 33), pytest.approx(1 / 3), None, 4),
        ("all", "humans", "Krippendorff's α", 0.25, None, None, 4),
        ("all", "nugget_state", "accuracy", 0.75, None, 0.5, 4),
        # Only the last nugget is labelled alike by all three.
        ("people agree", "nugget_state", "Cohen's κ", None, None, None, 1),
        ("people agree", "nugget_state", "accuracy", 1.0, None, 1.0, 1),
        ("people differ", "nugget_state", "Cohen's κ", pytest.approx(0.5), None, None, 3),
        ("people differ", "nugget_state", "accuracy", pytest.approx(2 / 3), None, pytest.approx(2 / 3), 3),
    ]  # fmt: skip


def test_nuggets_of_which_physicians_differ_count_for_what_they_reach_among_themselves(
    warehouse: Warehouse,
) -> None:
    """To leave them out would choose the nuggets by agreement; so would rows for tuning by another role."""
    label_nuggets(
        warehouse,
        ["covered", "missing", "covered", "missing"],
        {
            "ann": ["entailment", "entailment", "neutral", None],
            "bo": ["entailment", "neutral", "entailment", "neutral"],
            "cy": ["entailment", "contradiction", None, None],
        },
        role="test",
    )
    warehouse.execute(
        "insert into human_score select * replace ('another' as question_id, 'tune' as role)"
        " from human_score where label = 'entailment'"
    )
    first, one, alpha, share = measured(warehouse)
    undecided = "3 labelled nuggets have no majority of all physicians"
    assert (first["measure"], first["value"], first["n"]) == ("Cohen's κ", None, 1)
    assert first["reason"] == f"both give every item the same one label; {undecided}"
    assert (share["measure"], share["value"], share["n"]) == ("accuracy", 1.0, 1)
    # Ours with ann −1/2, with bo 1, with cy 1/3; ann with bo −1/2, with cy 0, bo with cy 1/3.
    assert (one["value"], one["ceiling"], one["n"]) == (pytest.approx(5 / 18), pytest.approx(-1 / 18), 3)
    # Of 8 labels 5 are entailed, 2 neutral, 1 contradicted: 1 − (5 / 8) / (34 / 56).
    assert (alpha["value"], alpha["n"]) == (pytest.approx(-1 / 34), 3)
    assert alpha["reason"] == (
        "α at the nominal level of measurement; 3 items are too few for an interval;"
        " 1 labelled nuggets are labelled by one physician alone"
    )


def test_labels_without_a_nugget_or_a_majority_are_counted(warehouse: Warehouse) -> None:
    label_nuggets(warehouse, ["covered"], {"1": ["entailment"] * 3, "2": ["neutral"] * 3})
    absent = "2 labelled nuggets are not of this run"
    rows = measured(warehouse)
    assert [(row["measure"], row["value"], row["ceiling"], row["n"], row["reason"]) for row in rows] == [
        # Alike with the first, of whom chance alone says so; never with the second.
        ("Cohen's κ with one physician", 0.0, 0.0, 1, f"1 question is too few for an interval; {absent}"),
        (
            "Krippendorff's α",
            0.0,
            None,
            1,
            f"α at the nominal level of measurement; 1 item is too few for an interval; {absent}",
        ),
        ("labels", None, None, 0, f"{absent} and 1 labelled nuggets have no majority of all physicians"),
    ]


def test_each_coefficient_has_its_own_ceiling(warehouse: Warehouse) -> None:
    """Beside Spearman's ρ stands what an annotator's ρ with the mean of the others is, over the rows that test."""
    freeze(warehouse, {"factual_correctness": {"a": [0.9, 0.6], "b": [0.4, 0.2], "c": [0.1, 0.3]}})
    name = "knowledge_correctness"
    for annotator, scores in (
        ("one", {"a": [5, 4], "b": [3, 1], "c": [1, 2]}),
        ("two", {"a": [5, 1], "b": [3, 5], "c": [2, 2]}),
        ("three", {"a": [4, 3], "b": [5, 1], "c": [1, 1]}),
    ):
        score(warehouse, {name: scores}, annotator=annotator)
    rows = measured(
        warehouse, f"human_metric = '{name}' and level = 'answer' and stratum = 'all' and ceiling > 0"
    )
    # scipy's coefficients of each with the mean of the other two, averaged.
    assert {row["measure"]: row["ceiling"] for row in rows} == {
        "kendall": pytest.approx(0.3961038627331807, abs=1e-9),
        "pearson": pytest.approx(0.429973704334173, abs=1e-9),
        "spearman": pytest.approx(0.4763029218313101, abs=1e-9),
    }


def test_aspects_are_averaged_by_who_scored_them_all(warehouse: Warehouse) -> None:
    """Another person's fluency is no part of this one's mean, and one aspect is no mean over three."""
    freeze(warehouse, {"rubric_score": {"a": [0.9, 0.4, 0.3], "b": [0.5, 0.2, 0.8]}})
    score(warehouse, {"relevancy": {"a": [5, 3, 2], "b": [3, 1, 4]}}, annotator="both")
    score(warehouse, {"fluency": {"a": [3, 1, 2], "b": [3, 1]}}, annotator="both")
    score(warehouse, {"fluency": {"a": [1, 5, 1], "b": [5, 5, 1]}}, annotator="another")
    freeze_agreement(warehouse, "r")
    points = warehouse.rows(
        "select system, n_questions, human_mean from agreement_points where human_metric = 'human_score' order by all"
    )
    assert points == [
        {"system": "a", "n_questions": 3, "human_mean": pytest.approx((4 + 2 + 2) / 3)},
        {"system": "b", "n_questions": 2, "human_mean": pytest.approx((3 + 1) / 2)},
    ]
    preferred = warehouse.rows(
        "select question_id, outcome, difference from preferences where who = 'human_score' order by all"
    )
    assert preferred == [
        {"question_id": "q0", "outcome": "win", "difference": 1.0},
        {"question_id": "q1", "outcome": "win", "difference": 1.0},
    ]


def test_strata_by_how_far_people_are_apart(warehouse: Warehouse) -> None:
    freeze(warehouse, {"factual_correctness": {"a": [0.9, 0.6], "b": [0.4, 0.2], "c": [0.1, 0.3]}})
    name = "knowledge_correctness"
    score(warehouse, {name: {"a": [5, 4], "b": [3, 1], "c": [1, 2]}}, annotator="one")
    score(warehouse, {name: {"a": [5, 1], "b": [3, 5]}}, annotator="two")
    rows = measured(
        warehouse, f"human_metric = '{name}' and measure = 'kendall' and level = 'answer' and stands_in"
    )
    assert [(row["stratum"], row["value"], row["n"]) for row in rows] == [
        ("all", pytest.approx(8 / (14 * 15) ** 0.5), 6),
        # Who alone scored an answer says nothing of disagreement.
        ("people agree", 1.0, 2),
        ("people differ", -1.0, 2),
    ]


def test_every_profile_is_held_against_people_and_only_the_chosen_one_is_drawn(warehouse: Warehouse) -> None:
    freeze(warehouse, {"f1": {"a": [0.5, 0.5], "b": [0.25, 0.5]}})
    for profile, metric in (("seed", "precision"), ("bioace", "completeness"), ("bioace", "precision")):
        warehouse.execute(
            "insert into mart.score by name select * replace ($profile as profile, $metric as metric)"
            " from mart.score where metric = 'f1'",
            {"profile": profile, "metric": metric},
        )
    score(warehouse, {"required_sentences": {"a": [1.0, 1.0], "b": [0.5, 0.5]}})
    rows = measured(warehouse, "level = 'system' and measure = 'kendall' and metric <> 'f1'")
    assert sorted((row["profile"], row["metric"], row["stands_in"], row["value"]) for row in rows) == [
        ("bioace", "completeness", True, 1.0),
        ("bioace", "precision", True, 1.0),
        ("seed", "precision", True, 1.0),
    ]
    assert warehouse.rows("select distinct profile, metric from agreement_points") == [
        {"profile": "seed", "metric": "precision"}
    ]


def test_labels_of_nuggets_in_words_of_our_own_are_mapped_and_said(warehouse: Warehouse) -> None:
    label_nuggets(
        warehouse,
        ["covered", "covered", "missing", "contradicted"],
        {"1": ["Covered", "yes", "not_mentioned", "Opposed"]},
    )
    kappa, share = measured(warehouse)
    assert (kappa["value"], share["value"], kappa["n"]) == (1.0, 1.0, 4)
    said = "labels read: 'Covered' as entailed, 'Opposed' as contradicted, 'not_mentioned' as neutral, 'yes' as entailed"
    assert kappa["reason"] == f"1 question is too few for an interval; {said}"


def test_labels_in_a_vocabulary_that_is_not_known_are_compared_with_nothing(warehouse: Warehouse) -> None:
    label_nuggets(warehouse, ["covered", "missing"], {"1": ["green", "red"], "2": ["entailed", None]})
    kappa, share = measured(warehouse)
    assert (kappa["n"], share["value"]) == (1, 1.0)
    assert "2 labels in words that are not known here" in kappa["reason"]


def test_labels_of_answers_are_held_against_each_other_and_nothing_else(warehouse: Warehouse) -> None:
    freeze(warehouse, {"precision": {"a": [0.5, 0.5], "b": [0.5, 0.5]}})
    for annotator, words in {"ann": ["yes", "no"], "bo": ["Yes", "Y"]}.items():
        for system in "ab":
            for place, word in enumerate(words):
                warehouse.append(
                    "human_score",
                    [
                        {
                            "dataset": "d", "question_id": f"q{place}", "system": system, "annotator": annotator,
                            "metric": "accurate", "target": "answer", "role": "test", "judge": "", "item": "",
                            "label": word,
                        }
                    ],
                )  # fmt: skip
    (row,) = measured(warehouse)
    # Two of four answers are told apart; of eight labels two are no: 1 − (2 / 4) / (24 / 56).
    assert (row["measure"], row["value"], row["n"]) == ("Krippendorff's α", pytest.approx(-1 / 6), 4)
    not_held = (
        "words, and our metrics give numbers: none is held against them; scores would be (yes as 1, no as 0)"
    )
    assert row["reason"].endswith(not_held)
    warehouse.execute("delete from human_score where annotator = 'bo'")
    warehouse.execute("delete from mart.agreement")
    (row,) = measured(warehouse)
    assert (row["value"], row["reason"]) == (None, f"all 4 labels are ann's; {not_held}")


def test_intervals_are_over_cases(warehouse: Warehouse) -> None:
    """One question under twelve ids is no dozen of observations."""
    warehouse.append("run", [run_row(state="running")])
    warehouse.insert("text", [{"text_key": "t", "text": ""}])
    freeze_scores(warehouse, {"nugget_coverage": {"a": [0.1 * n for n in range(12)]}}, case_id=["one"] * 12)
    warehouse.execute("update mart.answer set text_key = 't'")
    score(warehouse, {"clusters_required": {"a": [float(n % 7) for n in range(12)]}})
    (row,) = measured(warehouse, "stands_in and level = 'answer' and measure = 'kendall'")
    assert (row["low"], row["n"], row["reason"]) == (None, 12, "1 question is too few for an interval")
