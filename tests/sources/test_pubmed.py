"""PubMed over real HTTP on loopback: what is fetched, and where every fault ends."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.pmc import Pmc
from medassay.models.sources.pubmed import PubMed
from medassay.models.sources.resolver import resolve_in_order, retry_unavailable


def latin(whole: Callable[..., bytes], known: Any) -> bytes:
    """Write an answer as one would that took bytes of Latin-1 for UTF-8."""
    served = [replace(article, title=article.title.replace("\udcef", "LATIN")) for article in known]
    return whole(served).replace(b"LATIN", b"\xef")


FIRST, SECOND, THIRD = "pmid:99000001", "pmid:99000002", "pmid:99000003"


def test_a_record_comes_whole(server: Any, entrez_at: Callable[..., Any]) -> None:
    result = PubMed(entrez_at(server)).resolve([FIRST, "document:a", "url:https://example.org/"])
    assert result.found == {
        FIRST: SourceRecord(
            source_id=FIRST,
            title="Effect of invented drug 0 on invented outcome",
            sections=(
                Section("BACKGROUND", "Invented drug 0 had not been studied."),
                Section("METHODS", "We gave invented drug 0 to 100 volunteers."),
                Section("RESULTS", "The invented outcome improved (p<0.05)."),
                Section("CONCLUSION", "Invented drug 0 improves the invented outcome."),
            ),
            year=2019,
            journal="Journal of Invented Results",
            publication_types=("Journal Article",),
            url="https://pubmed.ncbi.nlm.nih.gov/99000001/",
            retracted="no",
            concern="no",
            erratum="no",
            identifiers=(FIRST, "doi:10.5555/invented.0"),
        )
    }
    assert (result.not_found, result.unresolved, result.requests) == ({}, {}, 1)
    assert result.origins == {FIRST: "pubmed"}
    assert result.bodies == {FIRST: result.raw[0].digest}


def test_who_asks_is_sent_and_not_kept(server: Any, entrez_at: Callable[..., Any]) -> None:
    result = PubMed(entrez_at(server, api_key="secret", tool="mine")).resolve([FIRST])
    request = server.requests[0]
    assert request.method == "POST"
    assert request.fields == {
        "db": "pubmed",
        "id": "99000001",
        "retmode": "xml",
        "tool": "mine",
        "email": "tests@example.org",
        "api_key": "secret",
    }
    assert result.raw[0].url == f"{server.url}/efetch.fcgi?db=pubmed&id=99000001&retmode=xml"


@pytest.mark.parametrize(
    "fault, reason",
    [
        ("rate_limited_long", "PubMed gave no answer: it limits the rate and asks to wait 3600 s"),
        ("cut_xml", "PubMed gave no answer: its answer cannot be read: it is cut off"),
        ("cut", "PubMed gave no answer: its answer was cut off after"),
        ("json_error", "it answered with an error in place of the records (error forwarding request)"),
        ("html", "PubMed gave no answer: its answer cannot be read: it is not"),
        ("junk", "PubMed gave no answer: its answer cannot be read: it is no XML"),
        ("empty", "PubMed gave no answer: its answer cannot be read: it is empty"),
        ("other_dtd", "its answer cannot be read: it is not PubMed XML (its DTD is einfo_new.dtd, line 1)"),
        ("slow", "PubMed gave no answer: it did not answer within 0.1 s"),
        ("hang", "PubMed gave no answer: it did not answer within 0.1 s"),
        ("reset", "PubMed gave no answer: the connection broke"),
        ("moved", "PubMed gave no answer: it answered HTTP 301"),
        ("error_400", "API key invalid"),
        ("partial", "PubMed gave no answer: it answered HTTP 206"),
    ],
)
def test_a_fault_is_never_not_found(
    server: Any, entrez_at: Callable[..., Any], fault: str, reason: str
) -> None:
    server.behaviour.always = fault
    entrez = entrez_at(server, timeout_s=0.1 if fault in ("slow", "hang", "drip") else 5.0)
    result = PubMed(entrez).resolve([FIRST, SECOND, "pmid:99123456"])
    requests = 2 if fault in ("error_500", "cut", "reset") else 1  # one more, for a record that is there
    assert (result.found, result.not_found, result.requests, result.raw) == ({}, {}, requests, [])
    assert set(result.unresolved) == {FIRST, SECOND, "pmid:99123456"}
    assert reason in result.unresolved[FIRST]
    assert result.final == set()

    server.behaviour.always = "ok"
    again = PubMed(entrez_at(server)).resolve([FIRST, SECOND, "pmid:99123456"])
    assert list(again.found) == [FIRST, SECOND]
    assert again.not_found == {"pmid:99123456": "PubMed answered, and has no record with this PMID"}
    assert again.unresolved == {}


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (("<?xml version=\"1.0\" ?>", "<?xml version=\"1.0\" encoding=\"x-klingon\"?>"), "it is not PubMed XML (unknown encoding: x-klingon, line 1)"),
        ((">99000001</PMID>", ">" + "9" * 5000 + "</PMID>"), "it holds a PMID of 5000 digits"),
        (("<PMID Version=\"1\">", "<PMID Version=\"" + "9" * 5000 + "\">"), "it holds a version of 5000 digits"),
        (("Effect of", "<i>" * 3000 + "x" + "</i>" * 3000), "the markup of PMID 99000001 is nested too deep"),
    ],
)  # fmt: skip
def test_what_no_article_holds_is_no_answer(
    server: Any, entrez_at: Callable[..., Any], eutils: ModuleType, spoil: tuple[str, str], reason: str
) -> None:
    body = eutils.pubmed_xml([server.articles["99000001"]]).decode().replace(*spoil)
    server.behaviour.bodies["/efetch.fcgi"] = body.encode()
    result = PubMed(entrez_at(server)).resolve([FIRST])
    assert (result.found, result.not_found) == ({}, {})
    assert result.unresolved == {FIRST: f"PubMed gave no answer: its answer cannot be read: {reason}"}


@pytest.mark.parametrize(
    "body", [b"[" * 200_000, b'{"error":' + b"[" * 200_000, b'{"error":' + b"9" * 9999 + b"}"]
)
def test_json_that_cannot_be_read_is_no_answer(
    server: Any, entrez_at: Callable[..., Any], body: bytes
) -> None:
    server.behaviour.bodies = dict.fromkeys(("/efetch.fcgi", "/esearch.fcgi", "/idconv/"), body)
    result = PubMed(entrez_at(server)).resolve([FIRST, "doi:10.5555/x"])
    assert result.unresolved == {
        FIRST: "PubMed gave no answer: it answered with an error in place of the records (JSON)",
        "doi:10.5555/x": "PubMed could not be searched: it sent something that is no JSON",
    }


@pytest.mark.parametrize("fault, wait_s", [("rate_limited", 7.0), ("busy", 7.0), ("rate_limited_bare", 1.0)])
def test_a_limited_rate_is_waited_out(
    server: Any, entrez_at: Callable[..., Any], slept: list[float], fault: str, wait_s: float
) -> None:
    server.behaviour.retry_after = "7"
    server.behaviour.queue.extend([fault, fault])
    result = PubMed(entrez_at(server, requests_per_second=1e9)).resolve([FIRST])
    assert list(result.found) == [FIRST]
    assert [wait for wait in slept if wait > 0.5] == [wait_s, wait_s]
    assert result.requests == 3


@pytest.mark.parametrize("fault", ["new_dtd", "no_doctype", "foreign"])
def test_what_is_strange_but_readable_is_read(server: Any, entrez_at: Callable[..., Any], fault: str) -> None:
    server.behaviour.always = fault
    result = PubMed(entrez_at(server)).resolve([FIRST, SECOND])
    assert list(result.found) == [FIRST, SECOND]
    assert result.found[FIRST].title == "Effect of invented drug 0 on invented outcome"
    assert (result.not_found, result.unresolved) == ({}, {})


@pytest.mark.parametrize("packing", ["gzip", "deflate", "deflate_bare"])
def test_what_a_proxy_packed_is_unpacked(server: Any, entrez_at: Callable[..., Any], packing: str) -> None:
    server.behaviour.always = packing
    assert list(PubMed(entrez_at(server)).resolve([FIRST]).found) == [FIRST]


@pytest.mark.parametrize("packing", ["gzip_cut", "br"])
def test_what_cannot_be_unpacked_is_no_answer(
    server: Any, entrez_at: Callable[..., Any], packing: str
) -> None:
    server.behaviour.always = packing
    coding = packing.partition("_")[0]
    assert PubMed(entrez_at(server)).resolve([FIRST]).unresolved == {
        FIRST: f"PubMed gave no answer: its answer is packed as {coding} and cannot be unpacked"
    }


def test_what_was_dropped_is_asked_for_again(server: Any, entrez_at: Callable[..., Any]) -> None:
    server.behaviour.queue.append("drop")
    result = PubMed(entrez_at(server)).resolve([FIRST, SECOND, THIRD, "pmid:99123456"])
    assert list(result.found) == [FIRST, SECOND, THIRD]
    assert list(result.not_found) == ["pmid:99123456"]
    assert [request.ids for request in server.requests] == [
        ["99000001", "99000002", "99000003", "99123456"],
        ["99000002", "99123456", "99000003", "99000001"],
        ["99123456", "99000002"],
    ]
    assert (result.requests, result.requests_again) == (3, 2)


@pytest.mark.parametrize(("every", "n_absent"), [(2, 0), (3, 1), (5, 40)])
def test_what_is_dropped_every_time_is_never_not_found(
    server: Any, entrez_at: Callable[..., Any], every: int, n_absent: int
) -> None:
    server.behaviour.always, server.behaviour.drop_every = "drop", every
    held = [f"pmid:{pmid}" for pmid in server.articles]
    absent = [f"pmid:{99123450 + n}" for n in range(n_absent)]
    for first in (0, 1, 4, 11):
        for ids in ([held[first]], held[first:], [*absent, *held[first:]], [*held[first:], *absent]):
            result = PubMed(entrez_at(server)).resolve(ids)
            assert not set(held) & set(result.not_found)
            assert result.requests <= 3
            assert {*result.found, *result.not_found, *result.unresolved} == set(ids)


@pytest.mark.parametrize(
    "fault, refused, reason",
    [
        ("hollow", set(), "its answer left out even PMID 23193287, which it is known to hold"),
        ("ok", {"99000001", "99000002", "99000003", "23193287"}, "it answered HTTP 400: ID list is empty!"),
    ],
)
def test_without_a_record_that_every_pubmed_holds_nothing_is_absent(
    server: Any, entrez_at: Callable[..., Any], fault: str, refused: set[str], reason: str
) -> None:
    server.behaviour.always, server.behaviour.refused = fault, refused
    result = PubMed(entrez_at(server)).resolve([FIRST, SECOND, THIRD])
    assert (result.found, result.not_found, len(result.unresolved)) == ({}, {}, 3)
    assert result.unresolved[FIRST].startswith(f"PubMed gave no answer: {reason}")


@pytest.mark.parametrize(
    "page, requests, reason",
    [
        (b"<html>Bad Request, request id 7</html>", 1, "Bad Request, request id 7"),
        (b'{"error":"Database pubmed is not available"}', 1, "Database pubmed is not available"),
        (b'{"error":"ID list is empty! Possibly it has no correct IDs."}', 2, "ID list is empty! Possibly it has no correct IDs."),
    ],
)  # fmt: skip
def test_what_refuses_every_list_is_asked_few_times(
    server: Any, entrez_at: Callable[..., Any], page: bytes, requests: int, reason: str
) -> None:
    server.behaviour.refusal = page
    result = PubMed(entrez_at(server)).resolve([f"pmid:{99200000 + n}" for n in range(200)])
    assert (result.found, result.not_found, result.requests) == ({}, {}, requests)
    assert set(result.unresolved.values()) == {f"PubMed gave no answer: it answered HTTP 400: {reason}"}


def test_an_id_that_ncbi_refuses_does_not_take_its_batch_with_it(
    server: Any, entrez_at: Callable[..., Any]
) -> None:
    server.behaviour.refused = {"999999999"}
    ids = [f"pmid:{article}" for article in server.articles]
    result = PubMed(entrez_at(server)).resolve([*ids, "pmid:999999999"])
    assert sorted(result.found) == sorted(ids)
    assert list(result.not_found) == ["pmid:999999999"]
    assert result.unresolved == {}


def test_what_is_no_pmid_is_not_asked_for(server: Any, entrez_at: Callable[..., Any]) -> None:
    result = PubMed(entrez_at(server)).resolve(["pmid:twelve"])
    assert result.unresolved == {"pmid:twelve": "it is no PMID: digits were expected"}
    assert result.final == {"pmid:twelve"}
    assert server.requests == []


@pytest.mark.parametrize("scheme, per_batch", [("doi", 100), ("pmcid", 200)])
def test_three_silent_answers_are_the_patience_with_a_host(
    server: Any, entrez_at: Callable[..., Any], scheme: str, per_batch: int
) -> None:
    server.behaviour.always, server.behaviour.everywhere = "hang", True
    entrez = entrez_at(server, timeout_s=0.05)
    names = [f"{scheme}:{'10.5555/' if scheme == 'doi' else 'PMC'}{n}" for n in range(1, 5 * per_batch)]
    for attempt in (1, 2):
        resolvers = [Pmc(entrez), PubMed(entrez)]
        retry_unavailable(resolvers)
        result = resolve_in_order(resolvers, names)
        assert (result.not_found, len(result.unresolved), entrez.requests) == ({}, len(names), 3 * attempt)
    server.behaviour.always = "ok"
    retry_unavailable(resolvers)
    assert list(resolve_in_order(resolvers, [FIRST]).found) == [FIRST]


@pytest.mark.parametrize("spoilt", ["A\x0b title", "Cats & dogs", "Na\udcefve", "<b>" * 5000 + "</b>" * 5000])
def test_one_article_that_cannot_be_read_costs_its_neighbours_nothing(
    eutils: ModuleType, entrez_at: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    articles = [eutils.Article(str(99100000 + n), f"Title {n}", (("", "", "Text."),)) for n in range(200)]
    bad = replace(articles[77], title=spoilt)
    whole = eutils.pubmed_xml
    with eutils.EUtilsServer([*articles[:77], bad, *articles[78:]]) as server:
        monkeypatch.setattr(eutils, "pubmed_xml", lambda known: latin(whole, known))
        result = PubMed(entrez_at(server)).resolve([f"pmid:{article.pmid}" for article in articles])
    assert list(result.unresolved) == [f"pmid:{bad.pmid}"] and len(result.found) == 199
    assert "its answer cannot be read: " in result.unresolved[f"pmid:{bad.pmid}"]
    assert (result.not_found, result.requests <= 18) == ({}, True)


def test_a_record_in_the_place_of_another_is_told_of(server: Any, entrez_at: Callable[..., Any]) -> None:
    server.behaviour.always = "foreign"
    assert PubMed(entrez_at(server)).resolve(["pmid:4"]).not_found == {
        "pmid:4": "PubMed answered, and has no record with this PMID; its answer held PMID 99000999,"
        " which nobody asked for"
    }


def test_nobody_listening_is_an_outage(entrez_at: Callable[..., Any], eutils: ModuleType) -> None:
    with eutils.EUtilsServer([]) as server:
        pass
    result = PubMed(entrez_at(server)).resolve([FIRST, "doi:10.5555/invented.0"])
    assert result.not_found == {}
    assert "PubMed gave no answer: it cannot be reached" in result.unresolved[FIRST]
    assert "PubMed could not be searched: it cannot be reached" in result.unresolved["doi:10.5555/invented.0"]


def test_dois_are_found_by_converter_and_by_search(eutils: ModuleType, entrez_at: Callable[..., Any]) -> None:
    open_one = eutils.Article(
        "99000050", "In PMC", (("", "", "Open."),), doi="10.5555/Open.1", pmcid="PMC9900001"
    )
    closed = eutils.Article("99000051", "Not in PMC", (("", "", "Closed."),), doi="10.5555/closed(1)")
    with eutils.EUtilsServer([open_one, closed]) as server:
        result = PubMed(entrez_at(server)).resolve(
            ["doi:10.5555/open.1", "doi:10.5555/closed(1)", "doi:10.5555/elsewhere", "pmid:99000050"]
        )
    assert list(result.found) == ["pmid:99000050", "doi:10.5555/open.1", "doi:10.5555/closed(1)"]
    assert result.found["doi:10.5555/open.1"].source_id == "doi:10.5555/open.1"
    assert result.found["doi:10.5555/open.1"].identifiers == (
        "pmid:99000050",
        "doi:10.5555/open.1",
        "pmcid:PMC9900001",
    )
    assert (result.not_found, result.unresolved) == ({}, {})
    assert [request.path for request in server.requests] == ["/idconv/", "/esearch.fcgi", "/efetch.fcgi"]


@pytest.mark.parametrize(
    "doi", ["10.1002/(SICI)1097-0142(19960301)77:5<856::AID-CNCR7>3.0.CO;2-1", "10.5555/a&b"]
)
def test_a_doi_with_signs_that_xml_escapes_is_found(
    eutils: ModuleType, entrez_at: Callable[..., Any], doi: str
) -> None:
    with eutils.EUtilsServer([eutils.Article("99000052", doi=doi)]) as server:
        result = PubMed(entrez_at(server)).resolve([f"doi:{doi.lower()}"])
    assert result.found[f"doi:{doi.lower()}"].identifiers == ("pmid:99000052", f"doi:{doi.lower()}")


@pytest.mark.parametrize(
    "listed, found, paths",
    [
        (None, "99000053", ["/idconv/", "/efetch.fcgi"]),
        ("10.5555/other", "99000054", ["/idconv/", "/efetch.fcgi", "/esearch.fcgi", "/efetch.fcgi"]),
    ],
)
def test_the_converter_is_believed_unless_the_record_bears_another_doi(
    eutils: ModuleType, entrez_at: Callable[..., Any], listed: str | None, found: str, paths: list[str]
) -> None:
    articles = [eutils.Article("99000053", doi=listed), eutils.Article("99000054", doi="10.5555/mine")]
    with eutils.EUtilsServer(articles) as server:
        told = {"requested-id": "10.5555/mine", "doi": "10.5555/mine", "pmid": 99000053}
        server.behaviour.converted["10.5555/mine"] = deque([told])
        result = PubMed(entrez_at(server)).resolve(["doi:10.5555/mine"])
    assert result.found["doi:10.5555/mine"].identifiers == (f"pmid:{found}", "doi:10.5555/mine")
    assert [request.path for request in server.requests] == paths


RETRACTION = (("D016440", "Retraction of Publication"),)
RETRACTED = {"sections": (("", "", "It worked."),), "corrections": ("RetractionIn",)}


@pytest.mark.parametrize(
    "notice",
    [
        {"types": RETRACTION},
        {"types": (("", "Retraction Notice"),), "sections": (("", "", "We retract it."),)},
        {"corrections": ("RetractionOf",), "sections": (("", "", "We retract it."),)},
        {"corrections": ("ExpressionOfConcernFor",)},
        {},
    ],
)
@pytest.mark.parametrize("pmids", [("99000060", "99000061"), ("99000061", "99000060")])
def test_a_doi_is_its_articles_and_not_a_notices_that_bears_it_too(
    eutils: ModuleType, entrez_at: Callable[..., Any], notice: dict[str, Any], pmids: tuple[str, str]
) -> None:
    article = eutils.Article(pmids[0], doi="10.5555/shared", **RETRACTED)
    other = eutils.Article(pmids[1], doi="10.5555/shared", **notice)
    with eutils.EUtilsServer([other, article]) as server:
        found = PubMed(entrez_at(server)).resolve(["doi:10.5555/shared"]).found["doi:10.5555/shared"]
    assert (found.identifiers[0], found.retracted) == (f"pmid:{pmids[0]}", "yes")


@pytest.mark.parametrize(
    "fails, found, reason",
    [
        (None, "pmid:99000060", None),
        ("search", None, "PubMed could not be searched: its search answered with an error (down)"),
        ("fetch", None, "PubMed gave no answer: it answered HTTP 500: Internal Server Error"),
    ],
)
def test_a_notice_that_the_converter_names_is_believed_only_where_no_article_is_behind_it(
    eutils: ModuleType,
    entrez_at: Callable[..., Any],
    fails: str | None,
    found: str | None,
    reason: str | None,
) -> None:
    article = eutils.Article("99000060", doi="10.5555/shared", **RETRACTED)
    notice = eutils.Article("99000061", doi="10.5555/shared", types=RETRACTION)
    with eutils.EUtilsServer([notice, article]) as server:
        told = {"requested-id": "10.5555/shared", "doi": "10.5555/shared", "pmid": 99000061}
        server.behaviour.converted["10.5555/shared"] = deque([told])
        server.behaviour.search = {"ERROR": "down", "idlist": []} if fails == "search" else None
        server.behaviour.queue.extend(["ok", "error_500"] if fails == "fetch" else [])
        result = PubMed(entrez_at(server)).resolve(["doi:10.5555/shared"])
    assert [record.identifiers[0] for record in result.found.values()] == ([found] if found else [])
    assert result.unresolved == ({"doi:10.5555/shared": reason} if reason else {})


@pytest.mark.parametrize(
    "title, more, retracted",
    [
        ("RETRACTED: An invented trial.", {}, "yes"),
        ("WITHDRAWN: An invented chapter", {"book": True}, "yes"),
        ("Retracted: An invented trial.", {"types": RETRACTION}, "no"),
        ("Retracted: An invented trial.", {"corrections": ("RetractionOf",)}, "no"),
    ],
)
def test_a_publishers_mark_in_a_title_of_pubmed_is_a_retraction(
    eutils: ModuleType, entrez_at: Callable[..., Any], title: str, more: dict[str, Any], retracted: str
) -> None:
    with eutils.EUtilsServer([eutils.Article("99000062", title, **more)]) as server:
        assert (
            PubMed(entrez_at(server)).resolve(["pmid:99000062"]).found["pmid:99000062"].retracted == retracted
        )


@pytest.mark.parametrize(
    "answer, reason",
    [
        ({"ERROR": "Search Backend failed", "idlist": []}, "answered with an error (Search Backend failed)"),
        ({"count": "2", "idlist": []}, "its search result has no list of ids"),
        ({"count": "500", "idlist": ["77"]}, "its search result lists 1 of 500 ids"),
    ],
)
def test_a_search_that_failed_is_no_absence(
    server: Any, entrez_at: Callable[..., Any], answer: dict[str, Any], reason: str
) -> None:
    server.behaviour.search = answer
    result = PubMed(entrez_at(server)).resolve(["doi:10.5555/x"])
    assert (result.found, result.not_found) == ({}, {})
    assert reason in result.unresolved["doi:10.5555/x"]
