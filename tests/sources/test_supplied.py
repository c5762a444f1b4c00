"""Supplied documents, and the order in which sources are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from medassay.models.records import Document, Section, SourceRecord
from medassay.models.sources.choosing import (
    NO_EMAIL,
    OFFLINE,
    Supplied,
    choose_resolvers,
    why_pubmed_is_closed,
)
from medassay.models.sources.entrez import EntrezSettings
from medassay.models.sources.passages import passages_of
from medassay.models.sources.resolver import Closed, Progress, Resolution, resolve_in_order

TEXT = (Section("RESULTS", "It worked."),)
DOCUMENTS = (
    Document(
        "trial-1",
        "A trial",
        TEXT,
        ("PMID: 99000001", "https://doi.org/10.5555/ABC"),
        "https://example.org/a/",
    ),
    Document("bare", "Only a title", (), ("pmid:99000002",)),
)


def test_a_document_answers_to_all_its_names() -> None:
    result = Supplied(DOCUMENTS).resolve(
        ["document:trial-1", "pmid:99000001", "doi:10.5555/abc", "url:https://example.org/a", "pmid:3"]
    )
    assert result.found["pmid:99000001"] == SourceRecord(
        source_id="pmid:99000001",
        title="A trial",
        sections=TEXT,
        url="https://example.org/a/",
        identifiers=("document:trial-1", "pmid:99000001", "doi:10.5555/abc", "url:https://example.org/a"),
    )
    assert list(result.found) == [
        "document:trial-1",
        "pmid:99000001",
        "doi:10.5555/abc",
        "url:https://example.org/a",
    ]
    assert (result.not_found, result.unresolved, result.requests) == ({}, {}, 0)


def test_a_document_without_text_leaves_its_other_names_to_other_sources() -> None:
    result = Supplied(DOCUMENTS).resolve(["document:bare", "pmid:99000002", "document:none"])
    assert list(result.found) == ["document:bare"]
    assert result.found["document:bare"].url == "https://pubmed.ncbi.nlm.nih.gov/99000002/"
    assert result.not_found == {"document:none": "the data holds no document of this id"}


@pytest.mark.parametrize(
    ("written", "source_id"),
    [
        ("pmid:0031234567", "pmid:31234567"),
        ("pmid:31,234,567", "pmid:31234567"),
        ("pmid:PMC12", "pmcid:PMC12"),
        ("doi:10.1016/S0140\u20116736(20)30183\u20115", "doi:10.1016/s0140-6736(20)30183-5"),
        ("doi:10.1101/2020.03.22.20040758v2", "doi:10.1101/2020.03.22.20040758"),
        ("pmid:3.12E+07", "document:pmid:3.12E+07"),
    ],
)
def test_a_name_of_a_document_has_the_form_that_citations_have(written: str, source_id: str) -> None:
    assert list(Supplied([Document("a", None, TEXT, (written,))]).resolve([source_id]).found) == [source_id]


@dataclass
class Source:
    """A source that has some records, and is silent about others."""

    name: str
    records: dict[str, SourceRecord]
    silent: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        self.asked += source_ids
        found = {n: self.records[n] for n in source_ids if n in self.records}
        unresolved = {n: f"{self.name} is down" for n in source_ids if n in self.silent}
        not_found = {n: f"{self.name} has none" for n in source_ids if n in self.absent}
        names = (*found, *unresolved, *not_found)
        return Resolution(found, not_found, unresolved, 1, origins=dict.fromkeys(names, self.name))


def record(name: str, text: str = "Text.") -> SourceRecord:
    return SourceRecord(name, "T", (Section("", text),) if text else ())


def test_only_what_is_open_goes_on() -> None:
    first = Source("first", {"pmid:1": record("pmid:1")}, silent=("pmid:2", "doi:b"), absent=("pmid:3",))
    second = Source("second", {"pmid:2": record("pmid:2"), "doi:b": record("doi:b", "")})
    seen: list[int] = []
    result = resolve_in_order(
        [first, second, Closed(("doi",), "not allowed")],
        ["pmid:1", "pmid:2", "pmid:3", "doi:a", "doi:b", "nct:NCT00000001", "pmid:1"],
        seen.append,
    )
    assert second.asked == ["pmid:2", "doi:a", "doi:b", "nct:NCT00000001"]
    assert list(result.found) == ["pmid:1", "pmid:2"]
    assert result.not_found == {"pmid:3": "first has none"}
    assert result.unresolved == {
        "doi:b": "first is down",
        "doi:a": "not allowed",
        "nct:NCT00000001": "no source that was asked can look up a nct",
    }
    assert result.origins == {
        "pmid:1": "first",
        "pmid:2": "second",
        "pmid:3": "first",
        "doi:a": "closed",
        "doi:b": "first",
        "nct:NCT00000001": "none",
    }
    assert result.final == {"doi:a", "nct:NCT00000001"}
    assert (result.requests, sum(seen)) == (2, 6)


def test_a_later_source_that_has_none_does_not_answer_for_one_that_was_down() -> None:
    down = Source("pubmed", {}, silent=("doi:a",))
    lacking = Source("crossref", {}, absent=("doi:a", "doi:b"))
    result = resolve_in_order([down, lacking], ["doi:a", "doi:b"])
    assert (result.unresolved, result.final) == ({"doi:a": "pubmed is down"}, set())
    assert result.not_found == {"doi:b": "crossref has none"}
    closed = resolve_in_order([Closed(("doi",), "not allowed"), lacking], ["doi:a"])
    assert closed.not_found == {"doi:a": "crossref has none"}


def names(resolvers: Sequence[object]) -> list[str]:
    return [str(getattr(resolver, "name", "")) for resolver in resolvers]


def test_which_sources_are_asked() -> None:
    email = {"NCBI_EMAIL": "me@example.org"}
    assert names(choose_resolvers((), environment=email)) == ["supplied", "pmc", "pubmed", *["closed"] * 4]
    allowed = {**email, "MEDASSAY_CROSSREF": "1"}
    assert names(choose_resolvers((), environment=allowed)) == [
        "supplied",
        "pmc",
        "pubmed",
        "crossref",
        *["closed"] * 3,
    ]
    assert names(choose_resolvers((), environment={})) == ["supplied", *["closed"] * 4]
    assert names(choose_resolvers((), offline=True, environment=allowed)) == ["supplied", *["closed"] * 4]
    assert why_pubmed_is_closed(environment=email) is None
    assert why_pubmed_is_closed(environment={}) == NO_EMAIL
    assert why_pubmed_is_closed(offline=True, environment=email) == OFFLINE
    # Online it would not be asked either.
    assert why_pubmed_is_closed(offline=True, environment={}) == (
        "this run is offline, and what is kept here does not hold it: set NCBI_EMAIL and run without --offline to ask"
        " PubMed"
    )


def test_an_unasked_source_says_how_to_change_that() -> None:
    ids = ["pmid:1", "doi:10.1/x", "url:https://example.org", "nct:NCT00000001", "reference:abc"]
    result = resolve_in_order(choose_resolvers((), environment={}), ids)
    assert result.unresolved == {
        "pmid:1": NO_EMAIL,
        "doi:10.1/x": NO_EMAIL,
        "url:https://example.org": "web pages are not fetched: supply the page as a document",
        "nct:NCT00000001": "trial registries are not asked: supply the trial's results as a document",
        "reference:abc": (
            "the reference carries no identifier to look it up by: add its PMID or DOI, or supply its text"
        ),
    }


def test_settings_come_from_the_environment() -> None:
    assert EntrezSettings.from_environment({}) == EntrezSettings()
    assert EntrezSettings().base_url == "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    mirror = EntrezSettings.from_environment(
        {
            "NCBI_EMAIL": " a@b.c ",
            "NCBI_API_KEY": "k",
            "NCBI_TOOL": "t",
            "MEDASSAY_NCBI_URL": "http://mirror:1/",
        }
    )
    assert mirror == EntrezSettings(
        email="a@b.c",
        tool="t",
        api_key="k",
        base_url="http://mirror:1",
        converter_url="http://mirror:1/idconv",
        requests_per_second=10.0,
    )
    assert "api_key" not in repr(mirror)


@pytest.mark.parametrize(
    ("text", "in_paragraphs"),
    [
        ("It helps. " * 150 + "\n\n" + "It is safe. " * 40, False),
        ("It helps. " * 150 + "\n\n" + "It is safe. " * 60, True),
        ("It helps. " * 501, True),
    ],
)
def test_a_document_with_paragraphs_is_read_by_them(text: str, in_paragraphs: bool) -> None:
    supplied = Supplied([Document("a", None, (Section("", text),))])
    assert supplied.resolve(["document:a"]).found["document:a"].full_text is in_paragraphs


def test_what_two_documents_of_one_name_say_is_read_apart() -> None:
    documents = [
        Document(
            "c", "C", (Section("", "It lowered the risk."), Section("X", "It was safe.")), ("doi:10.5555/a",)
        ),
        Document("d", "D", (Section("", "It raised the risk."),), ("doi:10.5555/a",)),
        Document("e", "E", (Section("", "It lowered the risk."),), ("doi:10.5555/a",)),
    ]
    found = Supplied(documents).resolve(["doi:10.5555/a", "document:c"]).found
    assert [[p.text for p in passages_of(record)][1:] for record in found.values()] == [
        ["It lowered the risk.\nX: It was safe.", "It raised the risk."],
        ["It lowered the risk.\nX: It was safe."],
    ]
