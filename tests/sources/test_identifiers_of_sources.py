"""Source ids: one form whatever was written, and a page for each."""

from typing import Any

import pytest

from medassay.models.sources.identifiers import format_source_id, page_of, parse_source_id, recognised


@pytest.mark.parametrize(
    "scheme, raw, source_id",
    [
        ("pmid", "PMID: 00123", "pmid:123"),
        ("pmid", "123", "pmid:123"),
        ("pmcid", "pmc0012", "pmcid:PMC12"),
        ("pmcid", "PMC12.2", "pmcid:PMC12"),
        ("pmcid", "12", "pmcid:PMC12"),
        ("doi", "https://doi.org/10.1000/ABC(1)", "doi:10.1000/abc(1)"),
        ("nct", "nct01234567", "nct:NCT01234567"),
        ("url", "https://pubmed.ncbi.nlm.nih.gov/123/?utm_source=x", "pmid:123"),
        ("url", "https://Example.org/a/?utm_source=x", "url:https://example.org/a"),
        ("document", "my trial", "document:my trial"),
    ],
)
def test_written_names_have_one_form(scheme: Any, raw: str, source_id: str) -> None:
    assert format_source_id(scheme, raw) == source_id


@pytest.mark.parametrize(
    "scheme, raw",
    [
        *(("pmid", raw) for raw in ("twelve", "3.12E+07", "PMC12", "312345678", "10.1000/x", "0")),
        *(("pmcid", "PMCX"), ("doi", "abc"), ("doi", "version 10.5"), ("nct", "NCT1"), ("url", " ")),
    ],
)
def test_what_cannot_be_meant_is_refused(scheme: Any, raw: str) -> None:
    with pytest.raises(ValueError, match=f"cannot be a {scheme}"):
        format_source_id(scheme, raw)


@pytest.mark.parametrize(
    "source_id, page",
    [
        ("pmid:123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
        ("url:https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("reference:0f", None),
    ],
)
def test_pages(source_id: str, page: str | None) -> None:
    assert page_of(source_id) == page


@pytest.mark.parametrize("name", ["123", "pmid:", "isbn:3", ""])
def test_what_is_no_source_id_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a source id: write scheme:value"):
        parse_source_id(name)


@pytest.mark.parametrize(
    "raw, source_id",
    [
        ("PMID:123", "pmid:123"),
        ("PMC12", "pmcid:PMC12"),
        ("doi:10.1000/X", "doi:10.1000/x"),
        ("NCT01234567", "nct:NCT01234567"),
        ("https://example.org/a/", "url:https://example.org/a"),
        ("PMID 1, PMID 2", None),
    ],
)
def test_written_identifiers_are_recognised(raw: str, source_id: str | None) -> None:
    assert recognised(raw) == source_id
