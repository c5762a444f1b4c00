"""Stream PubMed's baseline and update files: records and deletions in order."""

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from medassay.models.counting import counted
from medassay.models.records import SourceRecord
from medassay.models.sources.article import pmid_in, record_of, version_in, version_of
from medassay.models.sources.medline import Unreadable, read_medline
from medassay.models.unpacking import unpacked
from medassay.models.usage import UsageError

_NLM_NAME = re.compile(r"pubmed(\d\d)n(\d{4,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deletion:
    """PubMed has withdrawn a record."""

    source_id: str


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A record without a PMID, which nothing can cite."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one file says of one version of a record.

    Of two changes of a version the one of the higher revision counts, then the later.
    """

    what: SourceRecord | Deletion
    revision: int
    file: str
    version: int = 1


def baseline_files(paths: Iterable[Path]) -> tuple[list[Path], list[str]]:
    """List files, and those in folders, in the order in which they count: by NLM's year and number, the rest first.

    Returns:
        The files, and a line for each path that is not there and each folder without PubMed files.
    """
    files: list[Path] = []
    missing: list[str] = []
    for path in paths:
        inside = (
            sorted(p for p in path.glob("*") if p.name.endswith((".xml", ".xml.gz")))
            if path.is_dir()
            else [path]
        )
        if not path.exists() or not inside:
            what = "holds no .xml or .xml.gz file" if path.exists() else "is not there"
            missing.append(f"{path}: it {what}; give PubMed baseline or update files, or their folder")
            continue
        files += inside
    return sorted(dict.fromkeys(files), key=revision_of), missing


def without_digest(files: Iterable[Path]) -> Iterator[str]:
    """Name the files of which the `.md5` beside them holds no digest, such as a web page saved in its place."""
    for path in files:
        beside = _beside(path)
        if beside.is_file() and _digest_in(beside) is None:
            yield f"{beside}: it holds no MD5, so {path.name} is read unchecked; fetch it again"


def revision_of(path: Path) -> int:
    """Number a file by NLM's name for it, pubmed26n0042 as 2600042; 0 for any other name."""
    name = _NLM_NAME.match(path.name)
    return int(name[1]) * 100_000 + int(name[2]) if name else 0


def read_baseline(path: Path) -> Iterator[Change | Unnamed]:
    """Stream one file, in memory that does not grow with it.

    Write a file's changes in one transaction: what is yielded before an error counts only if all of it does.

    Raises:
        UsageError: naming file and place, for what cannot be read or fails NLM's checksum beside it.
    """
    verify(path)
    revision = revision_of(path)
    count = 0
    try:
        with path.open("rb") as file:
            for tag, element in read_medline(_unpacked(file)):
                if tag.startswith("Pubmed"):
                    record = record_of(element)
                    if record is None:
                        yield Unnamed()
                        continue
                    change = Change(record, revision, path.name, version_of(element))
                    count += 1
                    yield change
                elif tag == "DeleteCitation":
                    for deletion, version in map(_deletion, element):
                        yield Change(deletion, revision, path.name, version)
    except Unreadable as error:
        raise UsageError(f"{path}: {error}, after {counted(count, 'record')}; fetch the file again") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(
            f"{path}: it is cut off or damaged ({error}), after {counted(count, 'record')}; fetch it again"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror or error})") from None


def _deletion(pmid: Any) -> tuple[Deletion, int]:
    digits = pmid_in(pmid)
    if digits is None:
        raise Unreadable(f"it withdraws {str(pmid)!r}, which is no PMID")
    return Deletion(f"pmid:{digits}"), version_in(pmid)


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """Open gzip by what the file is, not by what it is called."""
    magic = file.read(2)
    file.seek(0)
    return unpacked(file) if magic == b"\x1f\x8b" else file


def verify(path: Path) -> None:
    """Compare with NLM's `.md5` beside the file, where there is one.

    Raises:
        UsageError: where the file is another than the one that was announced.
    """
    beside = _beside(path)
    if not beside.is_file() or not path.is_file():
        return
    wanted = _digest_in(beside)
    if wanted is None:
        return
    with path.open("rb") as file:
        have = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if wanted != have:
        raise UsageError(f"{path}: its MD5 is {have}, and {beside.name} says {wanted}; fetch it again")


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".md5")


def _digest_in(beside: Path) -> str | None:
    found = re.search(r"\b[0-9a-f]{32}\b", beside.read_text("ascii", "replace").lower())
    return found[0] if found else None
