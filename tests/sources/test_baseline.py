"""PubMed's files: order, revisions, deletions, damage, and memory that stays flat."""

import gzip
import hashlib
import tracemalloc
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medassay.models.sources.baseline import (
    Change,
    baseline_files,
    read_baseline,
)
from medassay.models.usage import UsageError


def write(path: Path, body: bytes) -> Path:
    path.write_bytes(gzip.compress(body) if path.name.endswith(".gz") else body)
    return path


def test_files_are_taken_in_the_order_in_which_they_count(tmp_path: Path, eutils: ModuleType) -> None:
    new = eutils.Article("99000002", "New", corrections=("RetractionIn",))
    write(tmp_path / "pubmed26n1500.xml.gz", eutils.pubmed_xml([new], deleted=["99000003"]))
    write(tmp_path / "pubmed26n0001.xml.gz", eutils.pubmed_xml([eutils.Article("99000001", "Old")]))
    write(tmp_path / "pubmed25n1700.xml", eutils.pubmed_xml([eutils.Article("99000001", "Older", version=2)]))
    (tmp_path / "README.txt").write_text("not a source")
    files, _ = baseline_files([tmp_path])
    changes = [change for file in files for change in read_baseline(file)]
    assert [
        (c.what.source_id, getattr(c.what, "title", None), c.revision, c.file, c.version)
        for c in changes
        if isinstance(c, Change)
    ] == [
        ("pmid:99000001", "Older", 2501700, "pubmed25n1700.xml", 2),
        ("pmid:99000001", "Old", 2600001, "pubmed26n0001.xml.gz", 1),
        ("pmid:99000002", "New", 2601500, "pubmed26n1500.xml.gz", 1),
        ("pmid:99000003", None, 2601500, "pubmed26n1500.xml.gz", 1),
    ]
    assert [getattr(c.what, "retracted", None) for c in changes if isinstance(c, Change)][2:] == ["yes", None]


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda xml: gzip.compress(xml)[:-200], "it is cut off or damaged"),
        (
            lambda xml: gzip.compress(xml[:-40]),
            "it is cut off (unclosed token, line 4, column 1208), after 1 record",
        ),
        (lambda xml: b"", "it is empty, after 0 records"),
        (lambda xml: b"PMID- 1\nTI  - A title\n", "it is no XML (syntax error)"),
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
