"""PMCIDs: full text where it is open, the abstract where it is not, honest states where neither answers."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from models.records import Section, SourceRecord
from models.sources.jats import read_articles
from models.sources.medline import Unreadable
from models.sources.pmc import Pmc

BODY = """<body>
<sec><title>1. Introduction</title>
<p>Nothing was known [<xref ref-type="bibr" rid="b1">1</xref>, <xref ref-type="bibr" rid="b2">2</xref>].
It grew by 10<sup>3</sup> cells<sup><xref ref-type="bibr" rid="b3">3</xref></sup>.</p></sec>
<sec><title>Methods</title><p>We looked.</p>
<sec><title>Participants</title><p>Forty volunteers, see <xref ref-type="table" rid="t1">Table 1</xref>:
<list list-type="bullet"><list-item><p>twenty women</p></list-item><list-item><p>twenty men</p></list-item></list></p>
<table-wrap id="t1"><label>Table 1</label><caption><title>Doses.</title></caption>
<table><thead><tr><th>Drug</th><th>Dose</th></tr></thead><tbody><tr><td>A</td><td>0.5 mg</td></tr></tbody></table>
<table-wrap-foot><p>Given daily.</p></table-wrap-foot></table-wrap></sec></sec>
<sec><p>A section without a title.</p><fig id="f1"><label>Figure 1</label><caption><p>The curve.</p></caption>
<graphic xlink:href="f1.jpg"/></fig></sec>
</body><back><ack><p>We thank nobody.</p></ack><ref-list><ref><mixed-citation>Older</mixed-citation></ref></ref-list>
<app-group><app><title>Appendix A</title><p>More.</p></app></app-group></back>"""


@pytest.fixture
def pmc_server(eutils: ModuleType) -> Iterator[Any]:
    """Serve an open article, one whose publisher allows no download, and a retracted one."""
    articles = [
        eutils.Article(
            "99000801", "Open", (("AIM", "", "To see."),), pmcid="PMC9900801", doi="10.5555/Open", body=BODY
        ),
        eutils.Article("99000802", "Closed", (("", "", "Only an abstract."),), pmcid="PMC9900802"),
        eutils.Article("99000803", "Withdrawn", corrections=("RetractionIn",), pmcid="PMC9900803", body=BODY),
    ]
    with eutils.EUtilsServer(articles) as running:
        yield running


def test_a_full_text_is_read_in_order_and_without_reference_marks(eutils: ModuleType) -> None:
    article = eutils.Article(
        "99000801", "Open", (("AIM", "", "To see."),), pmcid="PMC9900801", doi="10.5555/Open", body=BODY
    )
    [text] = read_articles(eutils.pmc_xml([article]))
    assert (text.pmcid, text.pmid, text.doi, text.title, text.year, text.has_body) == (
        "PMC9900801",
        "99000801",
        "10.5555/open",
        "Open",
        2019,
        True,
    )
    assert text.sections == (
        Section("Abstract › AIM", "To see."),
        Section("1. Introduction", "Nothing was known. It grew by 10³ cells."),
        Section("Methods", "We looked."),
        Section(
            "Methods › Participants",
            "Forty volunteers, see Table 1:\ntwenty women\ntwenty men\n"
            "Table 1 Doses.\nDrug | Dose\nA | 0.5 mg\nGiven daily.",
        ),
        Section("", "A section without a title.\nFigure 1\nThe curve."),
        Section("Appendix A", "More."),
    )


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"<pmc-articleset><article>", "it is not well-formed XML (no element found: line 1, column 25)"),
        (b"<html></html>", "it is not PMC's XML (its root is <html>)"),
    ],
)
def test_what_is_not_jats_is_named(body: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_articles(body)
    assert str(caught.value) == reason


def test_pmcids_resolve_to_what_may_be_read(pmc_server: Any, entrez_at: Callable[..., Any]) -> None:
    result = Pmc(entrez_at(pmc_server)).resolve(
        ["pmcid:PMC9900801", "pmcid:PMC9900802", "pmcid:PMC9900803", "pmcid:PMC1", "pmid:1"]
    )
    opened = result.found["pmcid:PMC9900801"]
    assert (opened.title, opened.full_text, len(opened.sections)) == ("Open", True, 6)
    assert opened.identifiers == ("pmid:99000801", "doi:10.5555/open", "pmcid:PMC9900801")
    assert opened.url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC9900801/"
    assert (opened.retracted, opened.concern, opened.erratum) == ("no", "no", "no")
    assert result.found["pmcid:PMC9900803"].retracted == "yes"
    assert result.found["pmcid:PMC9900802"] == SourceRecord(
        source_id="pmcid:PMC9900802",
        title="Closed",
        sections=(Section("", "Only an abstract."),),
        year=2019,
        journal="Journal of Invented Results",
        publication_types=("Journal Article",),
        url="https://pmc.ncbi.nlm.nih.gov/articles/PMC9900802/",
        retracted="no",
        concern="no",
        erratum="no",
        identifiers=("pmid:99000802", "pmcid:PMC9900802"),
    )
    assert result.not_found == {"pmcid:PMC1": "PMC answered, and has no article with this PMCID"}
    assert (result.unresolved, result.requests) == ({}, 3)
    assert result.bodies.keys() == result.found.keys()


def test_an_outage_of_the_text_is_not_an_absence(pmc_server: Any, entrez_at: Callable[..., Any]) -> None:
    pmc_server.behaviour.queue.extend(["error_500", "ok"])
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801", "pmcid:PMC1"])
    assert result.found == {}
    assert list(result.not_found) == ["pmcid:PMC1"]
    assert result.unresolved == {
        "pmcid:PMC9900801": "PMC gave no text: it answered HTTP 500: Internal Server Error"
    }


def test_without_pubmed_the_text_stands_and_its_standing_is_unchecked(
    pmc_server: Any, entrez_at: Callable[..., Any]
) -> None:
    pmc_server.behaviour.queue.extend(["ok", "error_500"])
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900803", "pmcid:PMC9900802"])
    record = result.found["pmcid:PMC9900803"]
    assert (record.title, record.full_text, record.retracted) == ("Withdrawn", True, "unchecked")
    assert result.unresolved == {
        "pmcid:PMC9900802": "PubMed gave no answer: it answered HTTP 500: Internal Server Error"
    }


def test_an_outage_of_the_converter_leaves_all_open(pmc_server: Any, entrez_at: Callable[..., Any]) -> None:
    pmc_server.behaviour.everywhere = True
    pmc_server.behaviour.always = "json_error"
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801", "pmcid:PMC1"])
    reason = "the PMC id converter gave no answer: it answered with an error (error forwarding request)"
    assert result.unresolved == {"pmcid:PMC9900801": reason, "pmcid:PMC1": reason}
    assert (result.found, result.not_found, result.requests) == ({}, {}, 1)
