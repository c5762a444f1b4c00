"""Whoever is away, or knows less, unsays nothing: retractions, withdrawals and denials in the order in which they were told."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medassay.models.settings import Settings
from medassay.models.sources.crossref import record_of_work
from medassay.tasks.run import started_run
from medassay.tasks.sources.pubmed_files import add_file
from medassay.tasks.sources.refreshing import refresh_sources
from medassay.tasks.sources.transfer import export_sources, import_sources
from tests.tasks.citations.asking import article, cite, fetched, fetching, ids, told_by

RETRACTED = {"updated-by": [{"type": "retraction"}]}


def asked(
    home: Path, cited: list[str], *, attempts: int = 1, retry: bool = False
) -> dict[str, tuple[str, str, str]]:
    """Run the stage on these ids; return each one's state, whether it is retracted, and who told of it."""
    with started_run(home, Settings("d", retry=retry)) as run:
        cite(run, cited)
        fetched(run, attempts=attempts)
        rows = run.warehouse.rows("select source_id, state, retracted, origin from current_source")
    return {row["source_id"]: (row["state"], row["retracted"], row["origin"]) for row in rows}


@pytest.fixture
def beside(pubmed: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the server that is asked as PubMed and as Crossref."""
    monkeypatch.setenv("MEDASSAY_CROSSREF", "1")
    monkeypatch.setenv("MEDASSAY_CROSSREF_URL", pubmed.url)
    return pubmed


def test_a_retraction_that_crossref_tells_without_an_abstract_counts(home: Path, crossref: Any) -> None:
    crossref.behaviour.crossref["10.5555/2"] |= RETRACTED
    assert asked(home, ids(2)) == {ids(2)[0]: ("found", "yes", "pubmed and crossref")}


def test_what_crossref_told_while_pubmed_was_away_is_asked_of_pubmed_again(
    home: Path,
    beside: Any,
    eutils: ModuleType,
) -> None:
    beside.articles["99300001"] = article(eutils, 1, doi="10.5555/1", corrections=("RetractionIn",))
    beside.behaviour.crossref = {
        "10.5555/1": {"DOI": "10.5555/1", "title": ["T"], "abstract": "<jats:p>words</jats:p>"}
    }
    beside.behaviour.always = "error_500"
    assert asked(home, ["doi:10.5555/1"], attempts=3) == {"doi:10.5555/1": ("found", "unchecked", "crossref")}
    beside.behaviour.always = "ok"
    assert asked(home, ["doi:10.5555/1"]) == {"doi:10.5555/1": ("found", "yes", "pubmed")}


def test_a_notice_in_a_file_is_not_read_as_the_article_whose_doi_it_bears(
    home: Path,
    pubmed: Any,
    eutils: ModuleType,
    tmp_path: Path,
) -> None:
    doi, notice_of = "10.5555/shared", ("RetractionOf",)
    pubmed.articles["99300001"] = article(eutils, 1, doi=doi, corrections=("RetractionIn",))
    pubmed.articles["99300002"] = article(eutils, 2, doi=doi, corrections=notice_of)
    file = tmp_path / "pubmed26n1500.xml"
    file.write_bytes(eutils.pubmed_xml([pubmed.articles["99300002"]]))
    with started_run(home, Settings("d")) as run:
        add_file(run.warehouse, file)
    assert asked(home, [f"doi:{doi}"]) == {f"doi:{doi}": ("found", "yes", "pubmed")}


def test_what_crossref_has_no_text_of_is_asked_of_pubmed_once_it_may_be(
    home: Path,
    beside: Any,
    eutils: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside.articles["99300001"] = article(eutils, 1, doi="10.5555/1", corrections=("RetractionIn",))
    dois = ["10.5555/1", "10.5555/only"]
    beside.behaviour.crossref = {doi: {"DOI": doi, "title": ["T"]} for doi in dois}
    seen = []
    for email in ("", "tests@example.org", "tests@example.org"):
        monkeypatch.setenv("NCBI_EMAIL", email)
        beside.requests.clear()
        told = asked(home, [f"doi:{doi}" for doi in dois])
        seen.append(({told[f"doi:{doi}"][1:] for doi in dois}, bool(beside.requests)))
    by_crossref = ("no", "crossref")
    assert seen == [
        ({by_crossref}, True),
        ({("yes", "pubmed"), by_crossref}, True),
        ({("yes", "pubmed"), by_crossref}, False),
    ]


def test_crossrefs_notice_of_a_retraction_is_not_itself_retracted() -> None:
    notice = {
        "type": "journal-article",
        "title": ["Retracted: An invented trial"],
        "update-to": [{"type": "retraction", "DOI": "10.1155/2020/1"}],
    }
    assert record_of_work("doi:10.1155/2023/9999", notice).retracted == "no"
    assert record_of_work("doi:10.1155/2020/1", notice).retracted == "yes"


def test_a_retraction_that_crossref_tells_while_pubmed_is_away_counts_at_once(
    home: Path, beside: Any, eutils: ModuleType
) -> None:
    beside.articles["99300001"] = article(eutils, 1, doi="10.5555/1")
    assert asked(home, ["doi:10.5555/1"]) == {"doi:10.5555/1": ("found", "no", "pubmed")}
    work = {"DOI": "10.5555/1", "title": ["T"], **RETRACTED}
    beside.behaviour.crossref = {"10.5555/1": {**work, "abstract": "<jats:p>other words</jats:p>"}}
    beside.behaviour.always = "error_500"
    with started_run(home, Settings("d")) as run:
        came = refresh_sources(run.warehouse, timedelta(0))
    assert [moved.said() for moved in came.moved] == ["doi:10.5555/1: retracted · Invented trial 1"]
    assert "PubMed gave no answer" in came.unanswered["doi:10.5555/1"]
    with fetching(home, ["doi:10.5555/1"], offline=True) as run:
        assert told_by(run.warehouse) == {
            "doi:10.5555/1": ("pubmed and crossref", "Invented trial 1", 2, "yes")
        }
    # PubMed's own word does not take it back, only Crossref's would.
    beside.behaviour.always = "ok"
    beside.behaviour.crossref = {}
    with started_run(home, Settings("d")) as run:
        assert refresh_sources(run.warehouse, timedelta(0)).moved == []
    assert asked(home, ["doi:10.5555/1"])["doi:10.5555/1"][:2] == ("found", "yes")


def test_an_article_is_retracted_by_all_its_names(
    home: Path, homes: Callable[[str], Path], pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    pubmed.articles["99300001"] = article(eutils, 1, doi="10.5555/1")
    asked(home, ids(1))
    pubmed.articles["99300001"] = article(eutils, 1, doi="10.5555/1", corrections=("RetractionIn",))
    found = asked(home, [*ids(1), "doi:10.5555/1"])
    assert {said[1] for said in found.values()} == {"yes"}
    assert len(found) == 2
    with started_run(home, Settings("d")) as run:
        export_sources(run.warehouse, tmp_path / "s.jsonl")
    other = homes("other")
    with started_run(other, Settings("d", offline=True)) as run:
        import_sources(run.warehouse, tmp_path / "s.jsonl")
        cite(run, ids(1))
        fetched(run)
        assert told_by(run.warehouse)[ids(1)[0]][3] == "yes"
