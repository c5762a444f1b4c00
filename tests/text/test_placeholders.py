"""Entries of reference lists that hold no reference: none of them makes an answer one with references."""

import pytest

from models.records import Answer, Reference
from models.text.claims import decompose

FAQ = "/search/nihai/objects/3f2b8c1e-1a2b-4c3d-8e4f-abcdefabcdef"


def has_references(text: str, *references: Reference) -> bool:
    return decompose(Answer("q", "s", text, references), "Is it dosed once a day?").has_references


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "N/A"},
        {"title": "Source 1"},
        {"title": "Citation needed"},
        {"title": "General medical knowledge"},
        {"title": "Perplexity answer", "source": "Perplexity"},
        {"source": "NihAI"},
        {"source": "NihAI", "content": "n/a"},
        {"source": "PubMed"},
        {"url": "N/A"},
        {"url": "#"},
        {"url": "https://"},
        {"url": "https://..."},
        {"url": "http://localhost"},
        {"url": "javascript:void(0)"},
        {"url": "[insert link]"},
        {"pmid": "0"},
        {"pmcid": "PMC0"},
        {"doi": "unknown"},
    ],
)
def test_a_placeholder_is_no_reference(fields: dict[str, str]) -> None:
    assert not has_references("It is taken once a day by adults [1].", Reference(marker="1", **fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "British National Formulary 82, chapter 6"},
        {"title": "Study of 12 adults with gout"},
        {"source": "NHS"},
        {"source": "NihAI", "title": "How is metformin dosed?"},
        {"source": "NihAI", "url": FAQ},
        {"source": "NihAI", "content": "Adults take one tablet a day."},
        {"source": "PubMed", "pmid": "33301246"},
        {"url": "www.nice.org.uk/guidance/ng28"},
        {"url": "nhs.uk"},
        {"url": "http://intranet/faq/12"},
        {"url": "https://example.org/löslich?q=1"},
    ],
)
def test_what_can_be_found_again_is_one(fields: dict[str, str]) -> None:
    assert has_references("It is taken once a day by adults [1].", Reference(marker="1", **fields))


@pytest.mark.parametrize("list_of_nothing", ["[1] N/A", "[1] Reference 1", "1. PMID: 0"])
def test_a_list_of_placeholders_in_the_text_is_none(list_of_nothing: str) -> None:
    assert not has_references(f"It is taken once a day by adults [1].\n\nReferences:\n{list_of_nothing}")


def test_an_entry_of_the_faq_is_cited_by_its_link_alone() -> None:
    found = decompose(
        Answer("q", "s", f"It is taken once a day by adults (NihAI, {FAQ})."), "How is it dosed?"
    )
    assert [c.source_id for claim in found.claims for c in claim.citations] == [f"url:{FAQ}"]
    assert found.has_references


def test_a_placeholder_beside_an_identifier_changes_nothing() -> None:
    assert has_references(
        "It is taken once a day [1].", Reference(marker="1", title="Source 1", pmid="33301246")
    )
