"""Supplied documents as answers name them: ids however written, titles, places in them, and ids that are nobody's."""

import pytest

from medassay.models.intake.catalogue import Catalogue
from medassay.models.records import Answer, Reference
from medassay.models.text.claims.decomposition import decompose
from medassay.models.text.supplied_names import SuppliedNames

CATALOGUE = Catalogue(
    {
        "SOP-101": "Anticoagulation in adult inpatients",
        "SOP-104": "Sepsis",
        "NG 89": "Two of one title",
        "G3": "Two of one title",
        "Leitlinie Antikoagulation 2024": None,
        "doc 7": None,
        "sop/anticoag#3": None,
        "PMID 123": None,
    }
)


def cited(text: str, *references: Reference) -> list[list[str]]:
    """Return what each claim cites; `?` before a marker that leads nowhere."""
    named = CATALOGUE.named_in([text, *(r.title or r.source or r.document or "" for r in references)])
    found = decompose(Answer("q", "s", text, references), "", named)
    return [
        [(c.source_id or f"?{c.marker}").removeprefix("document:") for c in claim.citations]
        for claim in found.claims
    ]


@pytest.mark.parametrize(
    "written",
    [
        "[SOP 101]",
        "[SOP\u2011101]",
        "[SOP-101.]",
        "[SOP-101 3.1]",
        "[SOP-101, Corticosteroids]",
        "[SOP-101: Corticosteroids]",
        "[SOP-101 v7.2]",
        "[SOP-101, version 7.2]",
        "[SOP-101, ch. 3]",
        "[SOP-101, section 3.1]",
        "(SOP-101, 3.1)",
        "[Doc: SOP-101]",
        "[1]\n\n[1] SOP-101",
        "[1]\n\nReferences\n1. SOP-101",
        "[1]\n\nReferences\n[1] Anticoagulation in adult inpatients",
    ],
)
def test_an_id_or_a_title_cites_its_document(written: str) -> None:
    assert cited(f"The limit is 133 {written}") == [["SOP-101"]]
    named = CATALOGUE.named_in([written])
    claim = decompose(Answer("q", "s", f"The limit is 133 {written}"), "", named).claims[0]
    assert claim.text.rstrip(".") == "The limit is 133"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[NG 89]", ["NG 89"]),
        ("(NG 89)", ["NG 89"]),
        ("[doc 7]", ["doc 7"]),
        ("[Leitlinie Antikoagulation 2024]", ["Leitlinie Antikoagulation 2024"]),
        ("[sop/anticoag#3]", ["sop/anticoag#3"]),
        ("[SOP-101, SOP-104]", ["SOP-101", "SOP-104"]),
        ("[SOP-101; SOP-104, 2]", ["SOP-101", "SOP-104"]),
        ("[SOP-101, 3.1; SOP-104 4]", ["SOP-101", "SOP-104"]),
        ("[SOP-999]", ["?[SOP-999]"]),
        ("[G9]", ["?[G9]"]),
        ("[PMID 456]", ["pmid:456"]),
        ("[COVID-19]", []),
        ("[Two of one title]", []),
        ("[3.1]", []),
    ],
)
def test_other_ids_and_what_is_none(written: str, expected: list[str]) -> None:
    assert cited(f"The limit is 133 {written}.") == [expected]


def test_a_document_that_a_sentence_speaks_of_is_cited() -> None:
    said = "According to SOP-101, the limit is 133. SOP-104 says that lactate is measured. It is kept in SOP-104 files."
    assert cited(said) == [["SOP-101"], ["SOP-104"], []]


@pytest.mark.parametrize(
    "reference",
    [
        Reference(marker="1", source="SOP-101"),
        Reference(marker="1", document="sop 101"),
        Reference(marker="1", title="Anticoagulation in adult inpatients"),
        Reference(marker="1", title="SOP-101 – Anticoagulation, 2024"),
    ],
)
def test_a_reference_given_as_data_may_name_a_document(reference: Reference) -> None:
    assert cited("The limit is 133 [1].", reference) == [["SOP-101"]]


def test_names_are_found_whole_and_the_longest_counts() -> None:
    names = SuppliedNames({"SOP-1": "a", "SOP-1 annex": "b"})
    assert names.begins("SOP-1 annex, p. 2") == ("SOP-1 annex", ", p. 2")
    assert [names.find(name) for name in ("sop 1", "SOP-1 Annex", "SOP-11", "")] == ["a", "b", None, None]
    assert not SuppliedNames()
    assert Catalogue({"SOP-1": None}).named_in(["SOP-11 and SOP"]) == {}
