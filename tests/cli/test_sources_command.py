"""`medassay sources`, as a person runs it: what it prints, and how it ends."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.commands.sources import sources
from medassay.sql.warehouse import warehouse_at
from tests.rows import write_rows
from tests.sources import eutils_server


def pubmed_file(path: Path, *pmids: int, deleted: int | None = None) -> Path:
    """Write a small file as PubMed does."""
    articles = (
        eutils_server.Article(str(pmid), f"Trial {pmid}", (("", "", "It helped."),)) for pmid in pmids
    )
    path.write_bytes(gzip.compress(eutils_server.pubmed_xml(articles, [str(deleted)] if deleted else [])))
    return path


def run(home: Path, *arguments: str | Path, **environment: str) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home), **environment}).invoke(
        sources, [str(argument) for argument in arguments]
    )


@pytest.fixture
def pubmed_url() -> Iterator[str]:
    """Return the address of a PubMed that holds one article, which is retracted."""
    retracted = eutils_server.Article("1", "Anew", (("", "", "New."),), corrections=("RetractionIn",))
    with eutils_server.EUtilsServer([retracted]) as server:
        yield server.url


def test_files_are_added_once_in_the_order_in_which_they_count(home: Path, tmp_path: Path) -> None:
    pubmed_file(tmp_path / "pubmed26n1500.xml.gz", 2, deleted=3)
    pubmed_file(tmp_path / "pubmed26n0001.xml.gz", 1, 2, 3)
    first = run(home, "add", tmp_path)
    assert (first.stdout, first.exit_code) == (
        "pubmed26n0001.xml.gz: 3 records\npubmed26n1500.xml.gz: 1 record, 1 withdrawn\n",
        0,
    )
    again = run(home, "add", tmp_path / "pubmed26n0001.xml.gz")
    assert (again.stdout, again.exit_code) == (
        "pubmed26n0001.xml.gz: 3 records, read before: nothing to do\n",
        0,
    )
    assert warehouse_at(home).value("select count(*) from pubmed_change") == 5


def test_a_record_that_goes_by_two_names_is_listed_as_one(home: Path, tmp_path: Path) -> None:
    names = ["pmid:9", "doi:10.5555/9", "pmcid:PMC9"]
    rows = [
        {"source_id": name, "state": "found", "origin": "pubmed", "fetched_at": "2026-01-02T03:04:05+00:00",
         "record": {"source_id": name, "title": "T", "sections": [{"label": "", "text": "X."}], "retracted": "yes",
                    "identifiers": identifiers}}
        for name, identifiers in (*((name, names) for name in names), ("pmid:8", ["pmid:8"]), ("pmid:7", []))
    ]  # fmt: skip
    told = write_rows(tmp_path / "told.jsonl", [{"form": "medassay-sources", "version": 1}, *rows])
    run(home, "import", told)
    (listed,) = json.loads(run(home, "list", "--json").stdout)
    counts = {name: listed[name] for name in ("n_sources", "n_records", "n_with_text", "n_retracted")}
    assert counts == {"n_sources": 5, "n_records": 3, "n_with_text": 3, "n_retracted": 3}


def test_the_list_counts_by_origin(home: Path, tmp_path: Path) -> None:
    run(home, "add", pubmed_file(tmp_path / "pubmed26n0001.xml.gz", 1, 2))
    rows = [
        {"source_id": "pmid:9", "state": "found", "origin": "pubmed", "fetched_at": "2026-01-02T03:04:05+00:00",
         "record": {"source_id": "pmid:9", "title": "T", "sections": [{"label": "", "text": "X."}], "retracted": "yes"}},
        {"source_id": "pmid:8", "state": "not_found", "origin": "pubmed", "reason": "no", "fetched_at": "2026-01-02T03:04:05+00:00"},
    ]  # fmt: skip
    told = write_rows(tmp_path / "told.jsonl", [{"form": "medassay-sources", "version": 1}, *rows])
    imported = run(home, "import", told)
    said = "1 source, and 1 that were not found"
    assert (imported.stdout, imported.exit_code) == (f"{said}\n", 0)
    again = run(home, "import", told).stdout
    assert again == f"{said}; of 2 this home was told as late or later, and keeps that\n"
    listed = json.loads(run(home, "list", "--json").stdout)
    assert [
        {name: row[name] for name in ("origin", "n_sources", "n_with_text", "n_retracted")} for row in listed
    ] == [
        {"origin": "not found by pubmed", "n_sources": 1, "n_with_text": 0, "n_retracted": 0},
        {"origin": "pubmed", "n_sources": 1, "n_with_text": 1, "n_retracted": 1},
        {"origin": "held in 1 PubMed file", "n_sources": 2, "n_with_text": None, "n_retracted": None},
    ]
    assert listed[0]["newest"] == "2026-01-02 03:04:05+00:00"
    assert "2026-01-02 03:04" in run(home, "list").stdout
    exported = run(home, "export", tmp_path / "out.jsonl")
    assert (exported.stdout, exported.exit_code) == (f"2 sources in {tmp_path / 'out.jsonl'}\n", 0)


def test_what_was_told_long_ago_is_asked_about_again(home: Path, tmp_path: Path, pubmed_url: str) -> None:
    rows = [
        {"source_id": f"pmid:{n}", "state": "found", "origin": "pubmed", "fetched_at": "2026-01-02T03:04:05+00:00",
         "record": {"source_id": f"pmid:{n}", "title": "T", "sections": [{"label": "", "text": text}]}}
        for n, text in ((1, "Old."), (2, "Other."))
    ]  # fmt: skip
    told = write_rows(tmp_path / "told.jsonl", [{"form": "medassay-sources", "version": 1}, *rows])
    run(home, "import", told)
    asking = {"NCBI_EMAIL": "tests@example.org", "MEDASSAY_NCBI_URL": pubmed_url}
    came = run(home, "refresh", **asking)
    assert (came.stdout, came.stderr, came.exit_code) == (
        "pmid:1: retracted · Anew\n"
        "pmid:1: another title; it was: T · Anew\n"
        "pmid:2: no longer there · T\n"
        "2 sources asked about again, 2 answered (pubmed 2), 1 with another text\n"
        "run `medassay evaluate` again: finished runs keep what they read\n",
        "",
        0,
    )
    again = run(home, "refresh", **asking)
    assert (again.stdout[:59], again.exit_code) == (
        f"nothing to ask: of 2 sources the last word is of {datetime.now(UTC):%Y-%m-%d}",
        0,
    )
    assert again.stdout.endswith(" UTC or later; --older-than 0 asks about all\n")
    nobody = run(home, "refresh", "--older-than", "0", NCBI_EMAIL="")
    assert (nobody.stdout, nobody.exit_code) == ("", 2)
    assert nobody.stderr.startswith("PubMed was not asked: NCBI wants to know whom to write to")
    silent = run(
        home,
        "refresh",
        "--older-than",
        "0",
        "--json",
        **{**asking, "MEDASSAY_NCBI_URL": pubmed_url + "/gone"},
    )
    assert silent.exit_code == 1
    assert json.loads(silent.stdout)["unanswered"].keys() == {"pmid:1", "pmid:2"}


@pytest.mark.parametrize(
    "arguments, code, line",
    [
        (("list",), 3, "nothing in HOME yet; run `medassay evaluate DATA`, `medassay sources add FILES` or `medassay sources import FILE` first, or set MEDASSAY_HOME"),
        (("export", "x.jsonl"), 3, "nothing in HOME yet; run `medassay evaluate DATA`, `medassay sources add FILES` or `medassay sources import FILE` first, or set MEDASSAY_HOME"),
        (("refresh", "--older-than", "nan"), 2, "Usage: sources refresh [OPTIONS]\nTry 'sources refresh --help' for help.\n\nError: Invalid value for '--older-than': nan is not in the range 0<=x<=36500."),
        (("import", "nowhere.jsonl"), 2, "nowhere.jsonl: it cannot be read (No such file or directory)"),
        (("add", "nowhere.xml"), 2, "nowhere.xml: it is not there; give PubMed baseline or update files, or their folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_line(
    new_home: Path, arguments: tuple[str, ...], code: int, line: str
) -> None:
    result = run(new_home, *arguments)
    assert (result.stdout, result.stderr, result.exit_code) == (
        "",
        line.replace("HOME yet", f"{new_home} yet") + "\n",
        code,
    )
