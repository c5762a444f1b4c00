"""DOIs at Crossref: what is found, what exists elsewhere, and what nobody has registered."""

from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.crossref import Crossref, CrossrefSettings, record_of_work

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
        ({"updated-by": [{"type": "Expression of concern"}]}, ("no", "yes", "unchecked")),
        ({"updated-by": {"type": "retraction"}}, ("yes", "unchecked", "unchecked")),
        ({"update-to": [{"type": "retraction", "DOI": "10.5555/other"}]}, ("no", "unchecked", "unchecked")),
        ({"title": [], "issued": {"date-parts": [[None]]}}, ("no", "unchecked", "unchecked")),
    ],
)
def test_notices_against_a_work(server: Any, slept: list[float], work: Any, flags: Any) -> None:
    server.behaviour.crossref = {"10.5555/a": {"type": "journal-article", **work}}
    record = crossref_at(server, slept).resolve(["doi:10.5555/a"]).found["doi:10.5555/a"]
    assert (record.retracted, record.concern, record.erratum) == flags


@pytest.mark.parametrize(
    "title, retracted",
    [
        ("RETRACTED: An invented trial", "yes"),
        ("RETRACTED ARTICLE An invented trial", "yes"),
        ("[Retracted] An invented trial", "yes"),
        ("An invented trial [RETRACTED ARTICLE]", "yes"),
        ("An invented trial (Retracted article. See vol. 3, p. 1)", "yes"),
        ("Retracted rotator cuff tears: repair techniques", "no"),
    ],
)
def test_a_publishers_mark_is_no_word_of_the_title(title: str, retracted: str) -> None:
    assert record_of_work("doi:10.5555/a", {"title": [title]}).retracted == retracted


@pytest.mark.parametrize(
    "work, read",
    [
        ({"title": [None], "container-title": [None]}, (None, None, None)),
        ({"title": ["A &amp;amp; B<br/>C"]}, ("A & B C", None, None)),
        ({"title": ["A &lt;i&gt;b&lt;/i&gt; &amp; c"]}, ("A b & c", None, None)),
        ({"title": ["Less &lt; more"], "container-title": ["J &amp;amp; K"]}, ("Less < more", "J & K", None)),
        ({"issued": None, "published-online": {"date-parts": [[2021, 3]]}}, (None, None, 2021)),
        ({"issued": "soon", "abstract": 5, "updated-by": "x"}, (None, None, None)),
    ],
)
def test_no_field_is_relied_on(work: Any, read: Any) -> None:
    record = record_of_work("doi:10.5555/a", work)
    assert (record.title, record.journal, record.year) == read


@pytest.mark.parametrize(
    "abstract, text",
    [
        ("<jats:p>10<jats:sup>6</jats:sup> cells</jats:p>", "10⁶ cells"),
        ("<jats:p>at <jats:inline-formula><jats:alternatives><jats:tex-math>\\alpha^2</jats:tex-math>"
         "<mml:math><mml:mi>α</mml:mi></mml:math></jats:alternatives></jats:inline-formula> mg</jats:p>", "at α mg"),
        ("<jats:p>at <jats:tex-math>$10^5$</jats:tex-math> cells</jats:p>", "at 10^5 cells"),
        ("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;p&amp;lt;0.05&lt;/p&gt;", "One p<0.05"),
    ],
)  # fmt: skip
def test_an_abstract_keeps_its_numbers(abstract: str, text: str) -> None:
    assert record_of_work("doi:10.5555/a", {"abstract": abstract}).sections == (Section("", text),)


@pytest.mark.parametrize(
    "message, reason",
    [
        ("[" * 200_000, "it is not Crossref's JSON"),
        ('{"title": ["%s"]}' % ("<b>" * 3000 + "x" + "</b>" * 3000), "markup nested too deep, or a number too long"),
        ('{"abstract": "&lt;p&gt;&lt;/p&gt;&#%s;"}' % ("9" * 6000), "markup nested too deep, or a number too long"),
    ],
)  # fmt: skip
def test_what_no_work_holds_is_no_answer(server: Any, slept: list[float], message: str, reason: str) -> None:
    server.behaviour.bodies["/works/10.5555%2Fa"] = f'{{"message":{message}}}'.encode()
    result = crossref_at(server, slept).resolve(["doi:10.5555/a"])
    assert result.unresolved == {
        "doi:10.5555/a": f"Crossref gave no answer: its answer cannot be read: {reason}"
    }


def test_an_answer_about_another_doi_is_none(server: Any, slept: list[float]) -> None:
    server.behaviour.crossref = {
        "10.5555/a": {**WORK, "DOI": "10.5555/B"},
        "10.5555/c": {**WORK, "DOI": "10.5555/C"},
    }
    result = crossref_at(server, slept).resolve(["doi:10.5555/a", "doi:10.5555/c"])
    assert list(result.found) == ["doi:10.5555/c"]
    assert result.unresolved == {
        "doi:10.5555/a": "Crossref gave no answer: it was asked for 10.5555/a and told of 10.5555/b"
    }


def test_a_doi_of_crossrefs_own_that_it_does_not_show_is_asked_again(server: Any, slept: list[float]) -> None:
    server.behaviour.agencies = {"10.5555/a": "crossref"}
    result = crossref_at(server, slept).resolve(["doi:10.5555/a"])
    assert result.unresolved == {
        "doi:10.5555/a": "Crossref gave no answer: it registered this DOI and has no record of it"
    }
    assert result.final == set()


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
    "fault",
    [
        "error_500",
        "html",
        "rate_limited_long",
        "reset",
    ],
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
