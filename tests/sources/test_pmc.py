"""PMCIDs: full text where it is open, the abstract where it is not, honest states where neither answers."""

from collections import deque
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.jats import read_articles
from medassay.models.sources.medline import Unreadable
from medassay.models.sources.pmc import Pmc

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


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (("Good.", "<sec>" * 3000 + "</sec>" * 3000), "its markup is nested too deep"),
        (("<?xml version=\"1.0\"  ?>", "<?xml version=\"1.0\" encoding=\"x-klingon\"?>"), "it is not well-formed XML (unknown encoding: x-klingon)"),
    ],
)  # fmt: skip
def test_what_no_full_text_holds_is_named(eutils: ModuleType, spoil: tuple[str, str], reason: str) -> None:
    article = eutils.Article("99000801", pmcid="PMC9900801", body="<body><sec>Good.</sec></body>")
    with pytest.raises(Unreadable) as caught:
        read_articles(eutils.pmc_xml([article]).decode().replace(*spoil).encode())
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
    assert (result.unresolved, result.requests, result.requests_again) == ({}, 4, 1)
    assert result.bodies.keys() == result.found.keys()


def test_an_outage_of_the_text_leaves_the_abstract_and_a_note(
    pmc_server: Any, entrez_at: Callable[..., Any]
) -> None:
    pmc_server.behaviour.queue.extend(["error_500", "error_500"])
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801", "pmcid:PMC1"])
    record = result.found["pmcid:PMC9900801"]
    assert (record.sections, record.full_text) == ((Section("AIM", "To see."),), False)
    assert (list(result.not_found), result.unresolved) == (["pmcid:PMC1"], {})
    assert result.origins["pmcid:PMC9900801"] == "pubmed"
    assert result.notes == {
        "pmcid:PMC9900801": "its full text could not be had: PMC gave no text: it answered HTTP 500: Internal Server Error"
    }


def test_without_text_and_abstract_an_outage_is_no_absence(
    pmc_server: Any, entrez_at: Callable[..., Any]
) -> None:
    pmc_server.behaviour.always = "error_500"
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801"])
    assert (result.found, result.not_found) == ({}, {})
    assert result.unresolved == {
        "pmcid:PMC9900801": "PMC gave no text: it answered HTTP 500: Internal Server Error"
    }


def test_one_article_that_pmc_refuses_costs_its_neighbours_nothing(
    pmc_server: Any, entrez_at: Callable[..., Any]
) -> None:
    pmc_server.behaviour.refused = {"9900803"}
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801", "pmcid:PMC9900802", "pmcid:PMC9900803"])
    assert [record.full_text for record in result.found.values()] == [True, False, False]
    assert list(result.notes) == ["pmcid:PMC9900803"]


@pytest.mark.parametrize("body", ["<body/>", "<body><sec><title>Only a heading</title></sec></body>"])
def test_a_file_without_text_does_not_replace_the_abstract(
    eutils: ModuleType, entrez_at: Callable[..., Any], body: str
) -> None:
    article = eutils.Article("99000820", sections=(("", "", "Short."),), pmcid="PMC9900820", body=body)
    with eutils.EUtilsServer([article]) as server:
        record = Pmc(entrez_at(server)).resolve(["pmcid:PMC9900820"]).found["pmcid:PMC9900820"]
    assert (record.sections, record.full_text) == ((Section("", "Short."),), False)


ABSENT = {"requested-id": "PMC9900801", "status": "error", "errmsg": "Identifier not found in PMC"}
THERE = {"requested-id": "PMC9900801", "pmcid": "PMC9900801", "pmid": "99000801"}
DOWN = {"requested-id": "PMC9900801", "status": "error", "errmsg": "Internal error: try again"}
NOTHING = {"requested-id": "PMC5"}


@pytest.mark.parametrize(
    "told, state",
    [
        ([DOWN, THERE], "found"),
        ([NOTHING, ABSENT], "not_found"),
        ([ABSENT, NOTHING], "unresolved"),
        ([{"pmcid": "PMC9900801.1", "pmid": 99000801}], "found"),
        ([{**THERE, "requested-id": "9900801"}], "found"),
        ([{**THERE, "requested-id": "pmc9900801", "pmid": "n/a"}], "found"),
    ],
)
def test_only_a_repeated_word_of_the_converter_is_an_absence(
    pmc_server: Any, entrez_at: Callable[..., Any], told: list[dict[str, Any]], state: str
) -> None:
    pmc_server.behaviour.converted["PMC9900801"] = deque(told)
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900801"])
    states: dict[str, Any] = {
        "found": result.found,
        "not_found": result.not_found,
        "unresolved": result.unresolved,
    }
    assert [name for name, ids in states.items() if "pmcid:PMC9900801" in ids] == [state]


def test_what_stands_apart_from_the_body_is_text_too(eutils: ModuleType) -> None:
    apart = (
        "<body><p>The body.</p></body><back><ack><p>Thanks.</p></ack><sec><title>Conclusion</title><p>It works.</p></sec>"
        "<sec><p>No heading.</p></sec></back><floats-group><table-wrap><label>Table 1</label><table><tr><th>Drug</th>"
        "<th>N</th></tr><tr><td>A (–)</td><td>42<xref ref-type='bibr'>7</xref></td></tr></table></table-wrap></floats-group>"
    )
    [text] = read_articles(eutils.pmc_xml([eutils.Article("1", pmcid="PMC9900822", body=apart)]))
    assert text.sections == (
        Section("", "The body."),
        Section("Conclusion", "It works."),
        Section("Back matter", "No heading."),
        Section("", "Table 1\nDrug | N\nA (–) | 42"),
    )


@pytest.mark.parametrize(
    "paragraph, text",
    [
        ("risk<sup>[<c>1</c>],[<c>2</c>]</sup>.", "risk."),
        ("risk<c><sup>1</sup></c><sup>,</sup><c><sup>2</sup></c>.", "risk."),
        ("by 10<sup><c>3</c>-<c>5</c></sup> patients", "by 10 patients"),
        ("known [<c>1</c>, <c>2</c>–<c>4</c>]; (–)-menthol", "known; (–)-menthol"),
        ("from .3 to .5 (<c>1</c>) .", "from .3 to .5."),
        ("10<sup>5.5</sup> PFU, 10<sup><italic>-</italic>6</sup>", "10^(5.5) PFU, 10⁻⁶"),
        ("<mml:math><mml:msup><mml:mn>10</mml:mn><mml:mn>5</mml:mn></mml:msup></mml:math> units", "10⁵ units"),
        ("<inline-formula><alternatives><tex-math>10^5</tex-math><mml:math><mml:mfrac><mml:mn>1</mml:mn>"
         "<mml:mn>2</mml:mn></mml:mfrac></mml:math></alternatives></inline-formula> mg", "(1/2) mg"),
        (r"<tex-math>\documentclass{x}\begin{document}$$10^5$$\end{document}</tex-math> mg", "10^5 mg"),
        ("as<disp-formula><label>(1)</label><mml:math><mml:mi>x</mml:mi></mml:math></disp-formula>says", "as (1) x says"),
    ],
)  # fmt: skip
def test_a_full_text_keeps_its_numbers(eutils: ModuleType, paragraph: str, text: str) -> None:
    cited = paragraph.replace("<c>", '<xref ref-type="bibr">').replace("</c>", "</xref>")
    body = f'<body xmlns:mml="http://www.w3.org/1998/Math/MathML"><p>{cited}</p></body>'
    [read] = read_articles(eutils.pmc_xml([eutils.Article("1", pmcid="PMC9900823", body=body)]))
    assert read.sections == (Section("", text),)


def test_without_pubmed_the_text_stands_and_its_standing_is_unchecked(
    pmc_server: Any, entrez_at: Callable[..., Any]
) -> None:
    pmc_server.behaviour.queue.extend(["ok", "error_500", "error_500"])
    result = Pmc(entrez_at(pmc_server)).resolve(["pmcid:PMC9900803", "pmcid:PMC9900802"])
    record = result.found["pmcid:PMC9900803"]
    assert list(result.notes) == ["pmcid:PMC9900803"]
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


@pytest.mark.parametrize("kind, retracted", [("research-article", "yes"), ("retraction", "unchecked")])
def test_a_publishers_mark_in_a_title_of_pmc_is_a_retraction(
    eutils: ModuleType,
    entrez_at: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    retracted: str,
) -> None:
    article = eutils.Article(
        "99000824", "RETRACTED: An invented trial", pmcid="PMC9900824", body="<body><p>All.</p></body>"
    )
    whole = eutils.pmc_xml
    monkeypatch.setattr(
        eutils, "pmc_xml", lambda of: whole(of).replace(b"research-article", kind.encode(), 1)
    )
    with eutils.EUtilsServer([article]) as server:
        told = {"requested-id": "PMC9900824", "pmcid": "PMC9900824"}
        server.behaviour.converted["PMC9900824"] = deque([told])
        record = Pmc(entrez_at(server)).resolve(["pmcid:PMC9900824"]).found["pmcid:PMC9900824"]
    assert (record.full_text, record.retracted) == (True, retracted)


@pytest.mark.parametrize(
    "told, listed, state",
    [
        ("99000827", "99000826", "unresolved"),
        ("99000828", "99000826", "unresolved"),
        ("99000826", "99000826", "found"),
        ("99000826", "099000826", "found"),
        ("99000827", "", "found"),
        ("99000827", "n/a", "found"),
        (None, "99000826", "found"),
    ],
)
def test_a_text_that_says_it_is_another_article_is_attached_to_none(
    eutils: ModuleType,
    entrez_at: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    told: str | None,
    listed: str,
    state: str,
) -> None:
    body = "<body><p>All.</p></body>"
    retracted = eutils.Article("99000826", corrections=("RetractionIn",), pmcid="PMC9900826", body=body)
    whole = eutils.pmc_xml
    monkeypatch.setattr(
        eutils, "pmc_xml", lambda of: whole(of).replace(b">99000826<", f">{listed}<".encode())
    )
    with eutils.EUtilsServer([retracted, eutils.Article("99000827", "Another")]) as server:
        names = {"requested-id": "PMC9900826", "pmcid": "PMC9900826", **({"pmid": told} if told else {})}
        server.behaviour.converted["PMC9900826"] = deque([names])
        result = Pmc(entrez_at(server)).resolve(["pmcid:PMC9900826"])
    reason = (
        f"PMC's text is of PMID 99000826, and its id converter says PMID {told}: neither can be relied on"
    )
    assert result.unresolved == ({"pmcid:PMC9900826": reason} if state == "unresolved" else {})
    assert (list(result.found), result.not_found) == (["pmcid:PMC9900826"] if state == "found" else [], {})
    assert result.origins == {"pmcid:PMC9900826": "pmc"}
