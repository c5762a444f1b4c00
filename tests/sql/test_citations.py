"""Rows in → rows out: what a verdict was read from, and whom the source was had from."""

from datetime import UTC, datetime
from typing import Any

import pytest

from medassay.sql.warehouse import Warehouse
from tests.rows import claim_row, give_answer, run_row

FETCHED = datetime(2026, 1, 2, tzinfo=UTC)
FLAGS = dict.fromkeys(("retracted", "concern", "erratum"), "unchecked")


@pytest.fixture
def cited(warehouse: Warehouse) -> Warehouse:
    """Return a run with one claim that cites a source of each origin, a full text, and one that nobody knows."""
    insert = warehouse.insert
    cuts = '{"supports_at": 0.6, "contradicts_at": 0.6}'
    insert("run", [run_row(state="running", settings=cuts)])
    warehouse.focus("r")
    insert(
        "run_stage", [{"run_id": "r", "stage": name, "fingerprint": name} for name in ("decompose", "entail")]
    )
    insert(
        "fingerprint",
        [{"fingerprint": "entail", "stage": "entail", "spec": '{"reading": {"caution": 0.3}}'}],
    )
    insert("text", [{"text_key": key, "text": key} for key in ("one", "two")])
    give_answer(warehouse, "r", "claim", text_key="claim")
    key = {"answer_key": "a", "fingerprint": "decompose"}
    span = {"span_start": 0, "span_end": 1}
    claim = {"position": 0, "text_key": "claim", "kind": "claim", "needs_citation": True}
    insert("claim", [{**key, **span, **claim}])
    names = ["document:1", "url:faq", "pmid:1", "pmcid:PMC1", "pmid:2"]
    insert(
        "citation",
        [
            {**key, "claim_position": 0, "ordinal": n, "marker": f"[{n}]", "source_id": name}
            for n, name in enumerate(names)
        ],
    )
    told: list[dict[str, Any]] = [
        {"source_id": name, "origin": origin, "full_text": full, "content_digest": f"digest of {name}"}
        for name, origin, full in zip(
            names, ("document", "answer", "pubmed", "pmc"), (True, False, False, True), strict=False
        )
    ]
    insert(
        "source",
        [{**row, **FLAGS, "fetch_no": 1, "publication_types": "[]", "fetched_at": FETCHED} for row in told],
    )
    places = [(row["source_id"], 0, "one") for row in told] + [("pmcid:PMC1", 1, "two")]
    insert(
        "passage",
        [
            {"source_id": name, "fetch_no": 1, "position": position, "label": "", "text_key": text}
            for name, position, text in places
        ],
    )
    found = {"run_id": "r", "fetch_no": 1, "state": "found"}
    insert("run_source", [{**found, "source_id": row["source_id"]} for row in told])
    insert("run_source", [{"run_id": "r", "source_id": "pmid:2", "state": "not_found", "reason": "unknown"}])
    read = {"hypothesis_key": "claim", "fingerprint": "entail", "n_windows": 1}
    insert(
        "pair_score",
        [
            {**read, "premise_key": "one", "entailment": 0.8, "neutral": 0.1, "contradiction": 0.1, "coverage": 1.0},
            {**read, "premise_key": "two", "entailment": 0.1, "neutral": 0.2, "contradiction": 0.7, "coverage": 0.5},
        ],
    )  # fmt: skip
    return warehouse


def test_a_text_that_the_answer_carries_is_supplied_and_no_abstract(cited: Warehouse) -> None:
    cited.execute("insert into mart.citation by name from new_citation")
    rows = cited.rows("select source_id, text_kind from mart.citation order by ordinal")
    assert [tuple(row.values()) for row in rows] == [
        ("document:1", "document"),
        ("url:faq", "document"),
        ("pmid:1", "abstract"),
        ("pmcid:PMC1", "full_text"),
        ("pmid:2", None),
    ]
    rates = cited.rows("select text_kind, n_citations from citation_rates order by text_kind")
    assert [tuple(row.values()) for row in rates] == [
        ("abstract", 1),
        ("all", 5),
        ("document", 2),
        ("full_text", 1),
    ]


def test_a_citation_says_whom_its_source_was_had_from_and_when(cited: Warehouse) -> None:
    cited.execute("insert into mart.citation by name from new_citation")
    rows = cited.rows("select source_id, origin, fetched_at, digest from citations order by ordinal")
    assert [tuple(row.values()) for row in rows] == [
        ("document:1", "document", FETCHED, "digest of document:1"),
        ("url:faq", "answer", FETCHED, "digest of url:faq"),
        ("pmid:1", "pubmed", FETCHED, "digest of pmid:1"),
        ("pmcid:PMC1", "pmc", FETCHED, "digest of pmcid:PMC1"),
        ("pmid:2", None, None, None),
    ]


def test_the_three_numbers_of_a_source_are_those_that_the_page_of_views_tells_of(cited: Warehouse) -> None:
    (row,) = cited.rows(
        "select entailment, neutral, contradiction, coverage from new_citation where source_id = 'pmcid:PMC1'"
    )
    lowered = 2**-0.3  # two passages were read
    one = 0.9 * lowered + 0.1
    two = 0.8 * lowered + 0.2
    assert row == {
        "entailment": pytest.approx(0.8 * lowered / one),
        "neutral": pytest.approx(0.1 / one),
        "contradiction": pytest.approx(0.7 * lowered / two),
        "coverage": 0.75,
    }


def test_a_passage_that_says_nothing_new_is_no_second_place(cited: Warehouse) -> None:
    cited.execute("update passage set text_key = 'one' where text_key = 'two'")
    (row,) = cited.rows(
        "select entailment, neutral, contradiction, coverage from new_citation where source_id = 'pmcid:PMC1'"
    )
    assert [round(share, 9) for share in row.values()] == [0.8, 0.1, 0.1, 1.0]
    assert cited.rows("select item_key from entail_items") == [{"item_key": "oneclaim"}]


def test_a_source_that_nobody_knows_is_named_and_a_bare_marker_is_not(cited: Warehouse) -> None:
    cited.execute("update citation set source_id = 'pmid:2'")
    for claims in ([], [{"claim_id": "c1"}]):
        cited.execute("delete from mart.citation")
        cited.execute("insert into mart.citation by name from new_citation")
        cited.execute("delete from mart.claim")
        cited.append("mart.claim", [claim_row(text_key="claim")])
        assert cited.rows("select claim_id from uncited_claims") == claims
        cited.execute("update citation set source_id = null")


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        ("[9]", "no entry of a reference list that names a source stands behind the marker"),
        (
            "https://example.org/page",
            "the address leads to no record: it is a placeholder, or a page of a search or a chat",
        ),
        (
            "example.com/a",
            "the address leads to no record: it is a placeholder, or a page of a search or a chat",
        ),
        *(
            (marker, "the identifier is cut off or mistyped, and cannot be read whole")
            for marker in ("PMID: 1.8E+07", "PMC765432I", "10.1056/NEJMoa 2034577")
        ),
        ("Kim et al., 2021", "no entry of a reference list fits the marker, or more than one does"),
    ],
)
def test_an_untraceable_citation_says_what_led_nowhere(cited: Warehouse, marker: str, reason: str) -> None:
    row = {"answer_key": "a", "fingerprint": "decompose", "claim_position": 0, "ordinal": 5, "marker": marker}
    cited.insert("citation", [row])
    (told,) = cited.rows("select state, reason from new_citation where ordinal = 5")
    assert told == {"state": "untraceable", "reason": reason}


def reread(cited: Warehouse, *scores: dict[str, Any]) -> dict[str, Any]:
    """Put other scores in the place of those of the source that is read in two places; what the source then says."""
    cited.execute("delete from pair_score")
    base = {
        "hypothesis_key": "claim", "fingerprint": "entail", "n_windows": 1, "coverage": 1.0, "entailment": 0.0,
        "neutral": 0.0, "contradiction": 0.0, "sentence_start": 0, "sentence_end": 3,
    }  # fmt: skip
    cited.insert("pair_score", [{**base, **score} for score in scores])
    (row,) = cited.rows(
        "select state, passage_key, sentence_end, coverage, reason from new_citation where source_id = 'pmcid:PMC1'"
    )
    return row


def test_what_was_read_in_part_and_decides_nothing_is_unverifiable(cited: Warehouse) -> None:
    cited.insert(
        "outcome",
        [
            {
                "run_id": "r", "stage": "entail", "item_key": "twoclaim", "fingerprint": "entail",
                "state": "failed", "reason": "HTTP 500", "attempts": 1,
            }
        ],
    )  # fmt: skip
    assert reread(cited, {"premise_key": "one", "neutral": 1.0}) == {
        "state": "unverifiable", "passage_key": None, "sentence_end": None, "coverage": 0.5, "reason": "HTTP 500",
    }  # fmt: skip
    decided = reread(cited, {"premise_key": "one", "entailment": 1.0})
    assert (decided["state"], decided["coverage"]) == ("supports", 0.5)


@pytest.mark.parametrize("n_neutral", [1, 60, 400])
def test_neutral_passages_of_a_long_source_take_nothing_from_the_one_that_decides(
    cited: Warehouse, n_neutral: int
) -> None:
    numbers = range(2, n_neutral + 1)
    key = {"source_id": "pmcid:PMC1", "fetch_no": 1, "label": ""}
    cited.insert("passage", [{**key, "position": n, "text_key": f"p{n}"} for n in numbers])
    neutral = {"entailment": 0.09, "neutral": 0.81, "contradiction": 0.1}
    row = reread(
        cited,
        {"premise_key": "one", "entailment": 0.69, "neutral": 0.19, "contradiction": 0.12},
        *({"premise_key": name, **neutral} for name in ("two", *(f"p{n}" for n in numbers))),
    )
    assert (row["state"], row["passage_key"], row["coverage"]) == ("supports", "one", 1.0)


def test_a_verdict_without_numbers_is_none(cited: Warehouse) -> None:
    nothing = dict.fromkeys(("entailment", "neutral", "contradiction"), float("nan"))
    row = reread(cited, {"premise_key": "one", **nothing}, {"premise_key": "two", **nothing})
    assert (row["state"], row["reason"]) == ("unverifiable", "the entailment model gave no verdict")
    decided = reread(cited, {"premise_key": "one", **nothing}, {"premise_key": "two", "contradiction": 1.0})
    assert (decided["state"], decided["passage_key"]) == ("contradicts", "two")


@pytest.mark.parametrize(
    ("one", "two", "state", "opposing"),
    [
        ("entailment", "contradiction", "supports", "two"),
        ("contradiction", "entailment", "supports", "one"),
        ("contradiction", "neutral", "contradicts", None),
        ("entailment", "entailment", "supports", None),
    ],
)
def test_a_passage_that_says_the_opposite_is_seen(
    cited: Warehouse, one: str, two: str, state: str, opposing: str | None
) -> None:
    assert reread(cited, {"premise_key": "one", one: 1.0}, {"premise_key": "two", two: 1.0})["state"] == state
    cited.execute("insert into mart.citation by name from new_citation where source_id = 'pmcid:PMC1'")
    cited.append("mart.claim", [claim_row(text_key="claim")])
    (row,) = cited.rows("select opposing_passage, opposing_sentence from citation_verdicts")
    assert row == {"opposing_passage": opposing, "opposing_sentence": opposing and opposing[:3]}
    (rate,) = cited.rows("select n_opposed from citation_rates where text_kind = 'all'")
    assert rate == {"n_opposed": int(opposing is not None)}


@pytest.mark.parametrize("relevant", ["one", "two"])
def test_a_source_is_off_the_matter_only_where_all_of_it_is(cited: Warehouse, relevant: str) -> None:
    beside = {"neutral": 1.0, "remark": "not relevant", "sentence_start": None, "sentence_end": None}
    rows = {name: {"premise_key": name, **beside} for name in ("one", "two")}
    assert reread(cited, *rows.values())["reason"] == "not relevant"
    rows[relevant] = {"premise_key": relevant, "neutral": 1.0}
    row = reread(cited, *rows.values())
    assert (row["passage_key"], row["sentence_end"], row["reason"]) == (relevant, 3, None)


def test_what_is_remarked_of_the_passage_that_decides_is_said(cited: Warehouse) -> None:
    unquoted = {
        "premise_key": "one",
        "entailment": 1.0,
        "remark": "the quotation does not stand in the passage",
    }
    row = reread(cited, unquoted, {"premise_key": "two", "neutral": 1.0})
    assert (row["state"], row["reason"]) == ("supports", unquoted["remark"])
    row = reread(cited, unquoted, {"premise_key": "two", "entailment": 1.0})
    assert (row["state"], row["passage_key"], row["reason"]) == ("supports", "two", None)


def test_what_a_claim_cites_by_two_names_is_one_citation(cited: Warehouse) -> None:
    cited.execute(
        "update source set content_digest = 'one record' where source_id in ('pmid:1', 'document:1')"
    )
    rows = cited.rows("select ordinal, citation, source_id from new_citation order by ordinal")
    assert [tuple(row.values()) for row in rows] == [
        (1, "[1]", "url:faq"),
        (2, "[0]; [2]", "pmid:1"),
        (3, "[3]", "pmcid:PMC1"),
        (4, "[4]", "pmid:2"),
    ]
    assert cited.value("select any_value(n_sources) from cited_evidence") == 3
    # Another claim that cites it by its other name alone keeps that citation.
    cited.execute("update citation set claim_position = 1 where ordinal = 0")
    cited.execute("insert into claim by name select * replace (1 as position) from claim")
    assert cited.value("select count(*) from new_citation") == 5


def test_a_title_alone_makes_no_two_records_one(cited: Warehouse) -> None:
    cited.execute(
        "update source set content_digest = 'Editorial' where source_id in ('pmid:1', 'document:1')"
    )
    cited.execute("update passage set label = 'TITLE' where source_id in ('pmid:1', 'document:1')")
    assert cited.value("select count(*) from new_citation") == 5


def test_a_source_that_contradicts_may_be_opposed_by_what_supports(cited: Warehouse) -> None:
    reread(
        cited,
        {"premise_key": "one", "entailment": 0.7, "neutral": 0.1, "contradiction": 0.2},
        {"premise_key": "two", "entailment": 0.0, "neutral": 0.1, "contradiction": 0.9},
    )
    rows = cited.rows("select state, opposing_passage_key from new_citation where source_id = 'pmcid:PMC1'")
    assert rows == [{"state": "contradicts", "opposing_passage_key": "one"}]
