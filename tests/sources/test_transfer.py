"""Fetched sources as a file: out and in again, and one clear line for what is not such a file."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.transfer import KeptSource, read_sources, write_sources
from medassay.models.usage import UsageError

FOUND = KeptSource(
    "pmid:1",
    "found",
    SourceRecord(
        "pmid:1",
        "Titel mit ä und \u2028 darin",
        (Section("METHODS", "We gave 0.5 mg."), Section("", "Es half.\nSehr.")),
        2020,
        "J",
        ("Review",),
        "https://pubmed.ncbi.nlm.nih.gov/1/",
        "yes",
        "no",
        "unchecked",
        ("pmid:1", "doi:10.5555/a"),
        True,
    ),
    None,
    "pubmed",
    datetime(2026, 11, 20, 12, 0, 1, 5, tzinfo=UTC),
    "0" * 32,
)
ABSENT = KeptSource("pmid:2", "not_found", None, "PubMed has none", "pubmed", FOUND.fetched_at)
SUPPLIED = KeptSource("document:a", "found", SourceRecord("document:a", None, ()), None, "supplied", None)


@pytest.mark.parametrize("name", ["sources.jsonl", "sources.jsonl.gz"])
def test_what_goes_out_comes_in(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_sources(path, [FOUND, ABSENT, SUPPLIED]) == 3
    assert list(read_sources(path)) == [FOUND, ABSENT, SUPPLIED]
    assert path.read_bytes().startswith(b"\x1f\x8b" if name.endswith(".gz") else b'{"form"')
    written = path.read_bytes()
    assert write_sources(path, read_sources(path)) == 3
    assert path.read_bytes() == written
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_broken_export_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "sources.jsonl"
    write_sources(path, [ABSENT])

    def broken() -> object:
        yield FOUND
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        write_sources(path, broken())  # type: ignore[arg-type]
    assert list(read_sources(path)) == [ABSENT]
    assert [file.name for file in tmp_path.iterdir()] == ["sources.jsonl"]


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda lines: [], "it is empty; export it again"),
        (
            lambda lines: lines[1:],
            "line 1: the first line must be form medassay-sources, version 2; export it again",
        ),
        (
            lambda lines: [lines[0], "[" * 200_000],
            "line 2: it is nested deeper than 100 times; export it again",
        ),
        (lambda lines: [*lines, "{"], "line 5: it is cut off or altered near character 2; export it again"),
        (
            lambda lines: ["<html>"],
            "line 1: it is no JSON, which `medassay sources export` writes; export it again",
        ),
        (
            lambda lines: [lines[0], lines[1].replace('"found"', '"lost"')],
            "line 2: state is 'lost', and may be",
        ),
        (
            lambda lines: [lines[0], lines[2].replace("not_found", "found")],
            "line 2: a found source has a record",
        ),
        (
            lambda lines: [lines[0], lines[1].replace('"pmid:1", "st', '"1", "st')],
            "line 2: '1' is not a source id",
        ),
        (
            lambda lines: [lines[0], lines[1].replace("journal", "jornal")],
            "line 2: the record has unknown fields: jornal",
        ),
        (lambda lines: [lines[0], lines[1].replace("origin", "source")], "line 2: 'origin' is missing"),
        (lambda lines: [lines[0], lines[1].replace("+00:00", "")], "line 2: fetched_at has no time zone"),
        (
            lambda lines: lines[:-1],
            "line 3: the file ends here, and its last line is missing; export it again",
        ),
        (
            lambda lines: [line.replace("0.5 mg", "5 mg") for line in lines],
            "line 4: the lines before it are not those that were exported; export it again",
        ),
        (lambda lines: [*lines, lines[2]], "line 5: the file goes on after its last line; export it again"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, spoil: object, reason: str) -> None:
    path = tmp_path / "sources.jsonl"
    write_sources(path, [FOUND, ABSENT])
    lines = path.read_text("utf-8").split("\n")[:-1]
    path.write_text("".join(f"{line}\n" for line in spoil(lines)), "utf-8")  # type: ignore[operator]
    with pytest.raises(UsageError) as caught:
        list(read_sources(path))
    assert str(caught.value).startswith(f"{path}")
    assert str(caught.value).removeprefix(f"{path}").lstrip(":, ").startswith(reason)


@pytest.mark.parametrize(
    "row, reason",
    [
        ([1], "it is no JSON object"),
        ({"source_id": ["pmid:1"]}, "source_id is ['pmid:1'], and must be text"),
        ({"fetched_at": 5}, "fetched_at is 5, and must be text or null"),
        ({"record": {"source_id": "pmid:2"}}, "the line is about pmid:1, and its record about pmid:2"),
        ({"record": {"title": 5}}, "title is 5, and must be text or null"),
        ({"record": {"title": "\ud800"}}, "a text in it is not UTF-8: it was altered"),
        ({"record": {"year": "twenty"}}, "year is 'twenty', and must be a year or null"),
        ({"record": {"year": 10**12}}, "year is 1000000000000, and must be a year or null"),
        ({"record": {"full_text": 1}}, "full_text is 1, and must be true or false"),
        ({"record": {"sections": "all"}}, "sections is 'all', and must be a list"),
        ({"record": {"sections": ["all"]}}, "a section is 'all', and must be a JSON object"),
        ({"record": {"identifiers": [5]}}, "identifiers is 5, and must be text"),
        ({"record": None}, "the record is no JSON object"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(tmp_path: Path, row: Any, reason: str) -> None:
    path = tmp_path / "sources.jsonl"
    write_sources(path, [FOUND])
    head, line = path.read_text("utf-8").split("\n")[:2]
    good = json.loads(line)
    if isinstance(row, dict):
        record = row.get("record", {})
        row = (
            {**good, **row, "record": record and {**good["record"], **record}}
            if "record" in row
            else {**good, **row}
        )
    path.write_text(f"{head}\n{json.dumps(row)}\n", "utf-8")
    with pytest.raises(UsageError) as caught:
        list(read_sources(path))
    assert str(caught.value).startswith(f"{path}, line 2: {reason}")
    assert str(caught.value).endswith("; export it again")


def test_a_file_without_a_seal_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "sources.jsonl"
    write_sources(path, [FOUND, ABSENT])
    head, *lines, _ = path.read_text("utf-8").split("\n")[:-1]
    path.write_text("".join(f"{line}\n" for line in [head.replace("2", "1"), *lines]), "utf-8")
    assert list(read_sources(path)) == [FOUND, ABSENT]


def test_a_cut_archive_and_a_missing_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "sources.jsonl.gz"
    write_sources(path, [replace(ABSENT, source_id=f"pmid:{n}") for n in range(1, 400)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UsageError, match="it is cut off or damaged .*; export it again"):
        list(read_sources(path))
    path.write_bytes(gzip.compress(b"\xff\xfe"))
    with pytest.raises(
        UsageError, match="after line 0: a text in it is not UTF-8: it was altered, or another"
    ):
        list(read_sources(path))
    with pytest.raises(UsageError, match="nowhere.jsonl: it cannot be read .No such file or directory."):
        list(read_sources(tmp_path / "nowhere.jsonl"))


def test_a_place_that_is_not_there_is_told_of_as_it_was_named(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "sources.jsonl"
    with pytest.raises(FileNotFoundError) as raised:
        write_sources(place, [FOUND])
    assert raised.value.filename == str(place)
