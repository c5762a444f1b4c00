"""Entries of reference lists that hold no reference: none of them makes an answer one with references."""

import pytest

from medassay.models.records import Answer, Reference
from medassay.models.text.claims.decomposition import decompose

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
        {"source": "NihAI"},
        {"source": "PubMed"},
        {"url": "[insert link]"},
        {"doi": "unknown"},
        {"title": "Author, Title, Journal, Year"},
        {"url": "https://example.com"},
        {"url": "http://www.example.org/"},
        {"url": "https://example.com/article"},
        {"url": "https://yourwebsite.com/link-to-source"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/"},
        {"url": "https://scholar.google.com"},
        {"url": "https://www.google.com/search?q=metformin"},
        {"url": "https://chatgpt.com/share/0a1b"},
        {"source": "Perplexity", "url": "https://www.perplexity.ai/search/123"},
        {"source": "NihAI", "content": "Yes"},
        {"source": "NihAI", "content": "Metformin."},
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
        {"url": "https://www.myclinic.com"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/?term=33301246"},
        {"url": "https://www.semanticscholar.org/paper/0a1b"},
        {
            "source": "Perplexity",
            "url": "https://www.perplexity.ai/search/123",
            "title": "ADA Standards of Care 2024",
        },
        {"source": "Perplexity", "url": "https://www.nice.org.uk/guidance/ng28"},
        {"source": "NihAI", "content": "Ja, einmal täglich."},
        {"url": "http://intranet/faq/12"},
        {"url": "https://example.org/löslich?q=1"},
    ],
)
def test_what_can_be_found_again_is_one(fields: dict[str, str]) -> None:
    assert has_references("It is taken once a day by adults [1].", Reference(marker="1", **fields))


@pytest.mark.parametrize(
    "list_of_nothing",
    [
        "[1] N/A",
        "[1] Reference 1",
        "1. PMID: 0",
        "[1] Author, Title, Journal, Year",
        "[1] https://example.com",
    ],
)
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


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("It is taken once a day (https://www.cdc.gov).", True),
        ("It is taken once a day (www.mayoclinic.org).", True),
        ("It is taken once a day (source: www.myclinic.com).", True),
        ("It is taken once a day, according to www.myclinic.com.", True),
        ("It is taken once a day.\n\nReferences:\n1. www.myclinic.com", True),
    ],
)
def test_a_home_page_in_the_text_is_a_source_where_it_is_named_as_one(text: str, has: bool) -> None:
    assert has_references(text) is has
