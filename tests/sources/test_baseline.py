"""PubMed's files: order, revisions, deletions, damage, and memory that stays flat."""

import gzip
import hashlib
import tracemalloc
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medassay.models.settings import UsageError
from medassay.models.sources.baseline import (
    Change,
    Deletion,
    baseline_files,
    latest,
    read_baseline,
    revision_of,
)


def write(path: Path, body: bytes) -> Path:
    path.write_bytes(gzip.compress(body) if path.name.endswith(".gz") else body)
    return path


def test_the_later_file_wins_and_deletions_hold(tmp_path: Path, eutils: ModuleType) -> None:
    a, b, c = (eutils.Article(str(99000001 + n), f"Old {n}") for n in range(3))
    new_b = eutils.Article("99000002", "New 1", corrections=("RetractionIn",))
    write(tmp_path / "pubmed26n1500.xml.gz", eutils.pubmed_xml([new_b], deleted=["99000003"]))
    write(tmp_path / "pubmed26n0001.xml.gz", eutils.pubmed_xml([a, b, c]))
    write(tmp_path / "pubmed25n1700.xml", eutils.pubmed_xml([eutils.Article("99000001", "Older")]))
    (tmp_path / "README.txt").write_text("not a source")
    files, _ = baseline_files([tmp_path])
    assert [file.name for file in files] == [
        "pubmed25n1700.xml",
        "pubmed26n0001.xml.gz",
        "pubmed26n1500.xml.gz",
    ]
    changes = [change for file in files for change in read_baseline(file)]
    for order in (changes, changes[::-1][:2] + changes[:-2]):
        counted = latest(order)
        assert {name: getattr(c.what, "title", None) for name, c in counted.items()} == {
            "pmid:99000001": "Old 0",
            "pmid:99000002": "New 1",
            "pmid:99000003": None,
        }
    counted = latest(changes)
    assert counted["pmid:99000003"] == Change(Deletion("pmid:99000003"), 2601500, "pubmed26n1500.xml.gz")
    assert getattr(counted["pmid:99000002"].what, "retracted", None) == "yes"


def test_of_two_versions_in_one_file_the_last_counts(tmp_path: Path, eutils: ModuleType) -> None:
    versions = [eutils.Article("99000001", f"Version {n}", version=n) for n in (1, 2)]
    file = write(tmp_path / "own.xml.gz", eutils.pubmed_xml(versions))
    assert getattr(latest(read_baseline(file))["pmid:99000001"].what, "title", None) == "Version 2"


def test_the_highest_version_that_is_there_counts(tmp_path: Path, eutils: ModuleType) -> None:
    def title(*files: bytes) -> str | None:
        paths = [write(tmp_path / f"pubmed26n000{n}.xml", body) for n, body in enumerate(files, start=1)]
        return getattr(
            latest(c for path in paths for c in read_baseline(path))["pmid:99000001"].what, "title", None
        )

    one, two = (eutils.Article("99000001", f"Version {n}", version=n) for n in (1, 2))
    gone = eutils.pubmed_xml([], deleted=["99000001"])
    assert title(eutils.pubmed_xml([two, one])) == "Version 2"
    assert title(eutils.pubmed_xml([two]), eutils.pubmed_xml([one])) == "Version 2"
    assert title(eutils.pubmed_xml([one, two]), gone) == "Version 2"
    assert title(eutils.pubmed_xml([one, two]), gone.replace(b'Version="1"', b'Version="2"')) == "Version 1"
    assert title(eutils.pubmed_xml([one]), gone) is None


@pytest.mark.parametrize(
    "name, revision",
    [("pubmed26n0042.xml.gz", 2600042), ("pubmed25n1274.xml", 2501274), ("mine.xml.gz", 0)],
)
def test_revisions(name: str, revision: int) -> None:
    assert revision_of(Path(name)) == revision


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda xml: gzip.compress(xml)[:-200], "it is cut off or damaged"),
        (
            lambda xml: gzip.compress(xml[:-40]),
            "it is cut off (unclosed token, line 4, column 1208), after 1 record",
        ),
        (lambda xml: b"\x1f\x8bnothing", "it is cut off or damaged"),
        (lambda xml: b"", "it is empty, after 0 records"),
        (lambda xml: b"PMID- 1\nTI  - A title\n", "it is no XML (syntax error)"),
        (
            lambda xml: xml.replace(b"</Article>", b"</Artikel>", 1),
            "it is not well-formed XML (mismatched tag, line 3",
        ),
        (
            lambda xml: xml.replace(
                b"</PubmedArticleSet>",
                b"<DeleteCitation><PMID>abc</PMID></DeleteCitation></PubmedArticleSet>",
            ),
            "it withdraws 'abc', which is no PMID, after 2 records; fetch the file again",
        ),
    ],
)
def test_a_bad_file_is_one_clear_error(tmp_path: Path, eutils: ModuleType, make: Any, reason: str) -> None:
    path = tmp_path / "pubmed26n0001.xml.gz"
    path.write_bytes(make(eutils.pubmed_xml([eutils.Article("99000001"), eutils.Article("99000002")])))
    with pytest.raises(UsageError) as caught:
        list(read_baseline(path))
    assert str(caught.value).startswith(f"{path}: {reason}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    what = "give PubMed baseline or update files, or their folder"
    assert baseline_files([tmp_path / "no.xml.gz", tmp_path]) == (
        [],
        [
            f"{tmp_path / 'no.xml.gz'}: it is not there; {what}",
            f"{tmp_path}: it holds no .xml or .xml.gz file; {what}",
        ],
    )


def test_nlms_checksum_is_honoured(tmp_path: Path, eutils: ModuleType) -> None:
    path = write(tmp_path / "pubmed26n0001.xml.gz", eutils.pubmed_xml([eutils.Article("99000001")]))
    beside = tmp_path / "pubmed26n0001.xml.gz.md5"
    beside.write_text(f"MD5(pubmed26n0001.xml.gz)= {hashlib.md5(path.read_bytes()).hexdigest()}\n")
    assert len(list(read_baseline(path))) == 1
    beside.write_text(f"MD5(pubmed26n0001.xml.gz)= {'0' * 32}\n")
    with pytest.raises(UsageError, match="pubmed26n0001.xml.gz.md5 says 0{32}; fetch it again"):
        list(read_baseline(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path, eutils: ModuleType) -> None:
    text = "The invented outcome improved in the treated group. " * 20
    peaks = []
    for count in (60, 600):
        articles = [eutils.Article(str(99200000 + n), sections=(("A", "", text),)) for n in range(count)]
        path = write(tmp_path / f"own{count}.xml", eutils.pubmed_xml(articles))
        assert sum(1 for _ in read_baseline(path)) == count
        tracemalloc.start()
        seen = sum(1 for _ in read_baseline(path))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert seen == count
    assert peaks[1] < 1.2 * peaks[0]
