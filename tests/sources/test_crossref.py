"""DOIs at Crossref: what is found, what exists elsewhere, and what nobody has registered."""

from typing import Any

import pytest

from models.records import Section, SourceRecord
from models.sources.crossref import Crossref, CrossrefSettings

DOI = "doi:10.5555/a(1)<2>"
WORK = {
    "title": ["An <i>invented</i> trial"],
    "container-title": ["Journal of Invented Results"],
    "issued": {"date-parts": [[2018, 4]]},
    "type": "journal-article",
    "abstract": (
        "<jats:title>Abstract</jats:title><jats:sec><jats:title>Background:</jats:title><jats:p>Why &amp; how.</jats:p>"
        "</jats:sec><jats:sec><jats:title>Results</jats:title><jats:p>It worked</jats:p>"
        "<jats:p>(p&lt;0.05).</jats:p></jats:sec>"
    ),
}


def crossref_at(server: Any, slept: list[float], **changes: Any) -> Crossref:
    settings = {"email": "me@example.org", "base_url": server.url, "requests_per_second": 1e6, **changes}
    return Crossref(CrossrefSettings(**settings), sleep=slept.append)


def test_a_work_is_read(server: Any, slept: list[float]) -> None:
    server.behaviour.crossref = {"10.5555/a(1)<2>": WORK}
    result = crossref_at(server, slept).resolve([DOI, "pmid:1"])
    assert result.found == {
        DOI: SourceRecord(
            source_id=DOI,
            title="An invented trial",
            sections=(Section("Background", "Why & how."), Section("Results", "It worked (p<0.05).")),
            year=2018,
            journal="Journal of Invented Results",
            publication_types=("journal-article",),
            url="https://doi.org/10.5555/a(1)%3C2%3E",
            retracted="no",
            concern="unchecked",
            erratum="unchecked",
            identifiers=(DOI,),
        )
    }
    assert server.requests[0].fields == {"mailto": "me@example.org"}
    assert result.raw[0].url == f"{server.url}/works/10.5555%2Fa%281%29%3C2%3E"
    assert (result.not_found, result.unresolved, result.requests) == ({}, {}, 1)


@pytest.mark.parametrize(
    "work, flags",
    [
        ({}, ("no", "unchecked", "unchecked")),
        ({"updated-by": [{"type": "retraction"}]}, ("yes", "unchecked", "unchecked")),
        ({"updated-by": [{"type": "withdrawal"}]}, ("yes", "unchecked", "unchecked")),
        ({"updated-by": [{"type": "expression_of_concern"}]}, ("no", "yes", "unchecked")),
        ({"updated-by": [{"type": "Correction"}]}, ("no", "unchecked", "yes")),
        ({"title": ["RETRACTED: An invented trial"]}, ("yes", "unchecked", "unchecked")),
        ({"update-to": [{"type": "retraction", "DOI": "10.5555/other"}]}, ("no", "unchecked", "unchecked")),
        ({"title": [], "issued": {"date-parts": [[None]]}}, ("no", "unchecked", "unchecked")),
    ],
)
def test_notices_against_a_work(server: Any, slept: list[float], work: Any, flags: Any) -> None:
    server.behaviour.crossref = {"10.5555/a": {"type": "journal-article", **work}}
    record = crossref_at(server, slept).resolve(["doi:10.5555/a"]).found["doi:10.5555/a"]
    assert (record.retracted, record.concern, record.erratum) == flags


def test_only_a_doi_of_no_agency_does_not_exist(server: Any, slept: list[float]) -> None:
    server.behaviour.agencies = {"10.5555/data": "datacite"}
    result = crossref_at(server, slept).resolve(["doi:10.5555/data", "doi:10.5555/none"])
    assert result.unresolved == {
        "doi:10.5555/data": "the DOI is registered with datacite, which is not asked"
    }
    assert result.not_found == {
        "doi:10.5555/none": "Crossref answered, and no registration agency it knows has this DOI"
    }
    assert result.final == {"doi:10.5555/data"}
    assert result.requests == 4


@pytest.mark.parametrize(
    "fault", ["error_500", "html", "empty", "cut", "rate_limited_long", "reset", "json_error"]
)
def test_a_fault_is_never_not_found(server: Any, slept: list[float], fault: str) -> None:
    server.behaviour.everywhere = True
    server.behaviour.crossref = {"10.5555/a": WORK}
    server.behaviour.queue.extend(["ok", fault])
    server.behaviour.always = fault
    ids = [f"doi:10.5555/{letter}" for letter in "abcdef"]
    result = crossref_at(server, slept).resolve(ids)
    assert (list(result.found), result.not_found) == (["doi:10.5555/a"], {})
    assert list(result.unresolved) == ids[1:]
    assert result.unresolved["doi:10.5555/b"].startswith("Crossref gave no answer: ")


def test_a_404_that_is_not_crossrefs_proves_nothing(server: Any, slept: list[float]) -> None:
    result = crossref_at(server, slept, base_url=f"{server.url}/wrong").resolve(["doi:10.5555/a"])
    assert result.not_found == {}
    assert result.unresolved == {
        "doi:10.5555/a": "Crossref gave no answer: it answered HTTP 404: no such service"
    }


def test_crossref_is_asked_only_where_allowed() -> None:
    assert CrossrefSettings.from_environment({"NCBI_EMAIL": "me@example.org"}) is None
    assert CrossrefSettings.from_environment({"MEDASSAY_CROSSREF_URL": "http://mirror"}) is None
    assert CrossrefSettings.from_environment(
        {"MEDASSAY_CROSSREF": "1", "MEDASSAY_CROSSREF_URL": "http://mirror/", "NCBI_EMAIL": "me@example.org"}
    ) == CrossrefSettings(email="me@example.org", base_url="http://mirror")
