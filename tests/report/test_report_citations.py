"""Verdicts and rates in, the citations that a reader should look at first out."""

from medassay.models.report import ReportData, render
from medassay.models.report.citations import (
    MOST_SHOWN,
    MOST_UNCITED,
    RateRow,
    rates_by_kind,
    sufficiency,
    troubled,
    uncited,
)

QUESTION = {"run_id": "r", "question_id": "q", "question": "?"}
PASSAGE = "Metformin is old. It lowers glucose. It is cheap."
VERDICT = {
    "run_id": "r", "question_id": "q", "system": "s", "claim_id": "c1", "claim": "Metformin raises glucose.",
    "citation": "[1]", "source_id": "pmid:1", "title": "Metformin <b>", "url": "https://pubmed.ncbi.nlm.nih.gov/1/",
    "state": "contradicts", "entailment": 0.04, "neutral": 0.06, "contradiction": 0.9, "passage": PASSAGE,
    "sentence_start": 18, "sentence_end": 36, "retracted": "no", "concern": "unchecked", "reason": None,
}  # fmt: skip


def report(*verdicts: dict[str, object], **more: object) -> ReportData:
    return ReportData(
        runs=[{"run_id": "r"}],
        questions=[QUESTION],
        citation_verdicts=[{**VERDICT, **v} for v in verdicts],
        **more,
    )  # type: ignore[arg-type]  # a list stands where rows do


def test_the_gravest_come_first_and_what_holds_is_left_out() -> None:
    data = report(
        {"state": "supports"},
        {"state": "neutral", "claim": "4"},
        {"state": "not_found", "claim": "3", "passage": None, "sentence_start": None, "sentence_end": None},
        {"state": "contradicts", "claim": "2"},
        {"state": "supports", "retracted": "yes", "claim": "1"},
        {"state": "unverifiable", "claim": "6"},
        {"state": "supports", "concern": "yes", "claim": "5"},
    )
    shown, count = troubled(data)
    assert ([item.claim for item in shown], count) == (["1", "2", "3", "5", "4", "6"], 6)
    assert shown[2].passage == ("", "", "")


def test_of_too_many_there_are_some_of_every_kind_and_a_query_for_the_rest() -> None:
    data = report(
        *({"state": "contradicts"} for _ in range(2 * MOST_SHOWN)),
        *({"state": "neutral"} for _ in range(2 * MOST_SHOWN)),
        {"state": "not_found"},
        {"state": "supports", "concern": "yes"},
        leaderboard=[{"run_id": "r", "system": "s"}],
    )
    shown, count = troubled(data)
    kinds = [item.state for item in shown]
    assert (count, len(kinds)) == (4 * MOST_SHOWN + 2, MOST_SHOWN)
    assert kinds == ["contradicts"] * 19 + ["not_found", "supports"] + ["neutral"] * 19
    page = render(data)
    assert "40 of 162 citations, some of every kind, whose source" in page
    assert "from citation_verdicts where" in page


def test_a_source_that_speaks_for_and_against_the_claim_is_shown_with_both() -> None:
    opposed = {"opposing_passage": "It raises it. Or so.", "opposing_sentence": "It raises it."}
    data = report(
        {"state": "neutral", "claim": "3"},
        {"state": "supports", "claim": "2", **opposed},
        {"state": "contradicts", "claim": "1", **opposed, "opposing_sentence": None},
        {"state": "supports", "claim": "4"},
        leaderboard=[{"run_id": "r", "system": "s"}],
    )
    shown, _ = troubled(data)
    assert [(item.claim, item.opposing) for item in shown] == [
        ("1", ("Another passage of the same source supports the claim", "It raises it. Or so.")),
        ("2", ("Another passage of the same source contradicts the claim", "It raises it.")),
        ("3", ("", "")),
    ]
    assert 'contradicts the claim: <q dir="auto">It raises it.</q>' in render(data)


def test_a_long_passage_is_cut_between_words_around_its_sentence() -> None:
    before, after = "before " * 200, " after" * 200
    (item,), _ = troubled(
        report({"passage": f"{before}It.{after}", "sentence_start": 1400, "sentence_end": 1403})
    )
    assert item.passage[1] == "It."
    assert (item.passage[0][:9], item.passage[2][-7:]) == ("… before ", "after …")


def test_only_web_addresses_become_links() -> None:
    (item,), _ = troubled(report({"url": "javascript:alert(1)"}))
    assert item.url == ""


def test_rates_are_told_apart_by_the_kind_of_text() -> None:
    row = {
        "run_id": "r", "system": "s", "n_not_found": 1, "n_untraceable": 5, "n_unverifiable": 2, "n_retracted": 0,
        "supports_rate": 0.5, "partial_rate": 0.25, "contradicts_rate": None,
    }  # fmt: skip
    data = report(
        citation_rates=[
            {**row, "text_kind": "full_text", "n_citations": 3},
            {**row, "text_kind": "all", "n_citations": 9},
            {**row, "text_kind": "abstract", "n_citations": 4},
        ]
    )
    rest = (0.5, 0.25, None, 1, 5, 2, 0)
    assert rates_by_kind(data, ["s"]) == [
        RateRow("s", "all citations", 9, *rest),
        RateRow("s", "abstracts", 4, *rest),
        RateRow("s", "full texts", 3, *rest),
    ]


def test_the_page_marks_the_sentence_links_the_source_and_warns_of_retraction() -> None:
    leaderboard = [{"run_id": "r", "system": "s"}]
    page = render(report({"retracted": "yes"}, leaderboard=leaderboard))
    assert (
        '<p class="prose" dir="auto">Metformin is old. <mark class="deciding">It lowers glucose.</mark> It is cheap.</p>'
        in page
    )
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/1/" target="_blank"' in page
    assert "Metformin &lt;b&gt;" in page
    assert '<p class="retracted">This source is retracted</p>' in page
    assert "entailment 0.04 · contradiction 0.90" in page


def test_a_citation_that_adds_nothing_comes_last_and_is_called_that() -> None:
    data = report(
        {"state": "neutral", "claim": "needless", "set_entails": True, "contributes": False},
        {"state": "neutral", "claim": "together", "set_entails": True, "contributes": True},
        {"state": "neutral", "claim": "bad", "set_entails": False, "contributes": False},
        {"state": "supports", "claim": "good", "set_entails": True, "contributes": True},
    )
    assert [(item.claim, item.beside) for item in troubled(data)[0]] == [
        (
            "together",
            "By itself it does not carry the claim; together with the claim's other sources it does.",
        ),
        ("bad", ""),
        ("needless", "Adds nothing: the claim's other sources carry it without this one."),
    ]


def test_each_systems_enough_and_too_many_stand_beside_each_other() -> None:
    scores = [
        {"system": "a", "metric": name, "value": value}
        for name, value in (
            ("citation_recall", 0.5), ("citation_recall_low", 0.5), ("citation_recall_high", 0.75),
            ("under_citation_rate", 0.25), ("over_citation_rate", None),
        )
    ]  # fmt: skip
    data = report({}, system_scores=scores)
    found = sufficiency(data, ["a", "b"])
    assert {mean.metric: mean.value for mean in found["a"]} == {
        "citation_recall": 0.5,
        "alce_recall": None,
        "alce_precision": None,
        "over_citation_rate": None,
        "under_citation_rate": 0.25,
    }
    assert [means[0].bounded for means in found.values()] == [True, False]
    assert sufficiency(report({}), ["a"]) == {}
    page = render(
        report({"system": "a"}, system_scores=scores, answers=[{"question_id": "q", "system": "a"}])
    )
    assert "Enough citations, and none too many?" in page and "<small>0.50–0.75</small>" in page


def test_claims_without_a_citation_are_named_for_every_system() -> None:
    lacking = [
        {"question_id": "q", "system": system, "claim": f"{system}{n} <b>"}
        for system, count in (("long", 20), ("short", 2))
        for n in range(count)
    ]
    data = report(
        {"system": "long"}, uncited_claims=lacking, answers=[{"question_id": "q", "system": "long"}]
    )
    shown, count = uncited(data)
    assert (len(shown), count) == (MOST_UNCITED, 22)
    assert [item.claim for item in shown if item.system == "short"] == ["short0 <b>", "short1 <b>"]
    page = render(data)
    assert "12 of 22 claims that need a citation" in page and "long0 &lt;b&gt;" in page
