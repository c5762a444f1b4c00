"""Single acts: `verify` and `parse_citations`."""

import pytest

import medassay
from medassay.models.weights import ModelMissing, ensure


def test_citations_are_found_with_what_they_are_cited_for() -> None:
    text = (
        "Aspirin lowers the risk of stroke [1]. Metformin can cause nausea (PMID: 123456) [2].\n\n"
        "References\n1. Smith J. Aspirin. doi:10.1000/xyz"
    )
    found = [(one.marker, one.source_id, one.claim) for one in medassay.parse_citations(text)]
    assert found == [
        ("[1]", "doi:10.1000/xyz", "Aspirin lowers the risk of stroke."),
        ("PMID: 123456", "pmid:123456", "Metformin can cause nausea."),
        ("[2]", None, "Metformin can cause nausea."),
    ]


def test_references_may_come_as_data() -> None:
    (found,) = medassay.parse_citations("Aspirin thins blood [1].", [{"marker": "1", "pmid": "7"}])
    assert (found.source_id, found.claim, found.claim_start, found.claim_end) == (
        "pmid:7",
        "Aspirin thins blood.",
        0,
        24,
    )


def test_a_passage_is_read_for_what_it_says_of_a_claim() -> None:
    try:
        ensure("all-mpnet-base-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))
    passage = "Sixty adults took part. In this trial aspirin lowered the risk of stroke by a fifth."
    found = medassay.verify("Aspirin raised the risk of stroke.", passage)
    assert (found.label, found.sentence) == (
        "contradiction",
        "In this trial aspirin lowered the risk of stroke by a fifth.",
    )
    assert found.entailment is not None and found.neutral is not None and found.contradiction is not None
    assert found.entailment + found.neutral + found.contradiction == pytest.approx(1.0)
