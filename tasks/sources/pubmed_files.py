"""PubMed's baseline and update files in the warehouse; consulted before the network."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from medassay.models.records import SourceRecord
from medassay.models.sources.baseline import (
    Change,
    Deletion,
    Unnamed,
    baseline_files,
    read_baseline,
    revision_of,
    verify,
)
from medassay.models.sources.identifiers import preference
from medassay.models.sources.resolver import Progress, Resolution
from medassay.models.sources.transfer import record_from_row
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Row, Warehouse

# Moves when the same file is read into other records: it is read anew when it is added again.
READING = 3
BATCH = 2000
OnAdded = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class AddedFile:
    """What became of one file."""

    name: str
    n_records: int
    n_withdrawn: int
    was_there: bool
    counts_as: str = ""
    """The name of higher rank that a file which was there goes by from now on."""
    n_unnamed: int = 0
    """How many records were left out for want of a PMID; not known of a file that was there."""


def add_files(
    warehouse: Warehouse, paths: Sequence[Path], on_progress: OnAdded | None = None
) -> Iterator[AddedFile]:
    """Read PubMed baseline and update files in the order in which they count, a transaction each.

    Args:
        warehouse: where they go.
        paths: files, or folders of them.
        on_progress: told the file's name and how many more of its records are in.

    Raises:
        UsageError: when all are through, with a line for each path that is wrong or cannot be read; the others are in.
    """
    files, unread = baseline_files(paths)
    for path in files:
        try:
            added = add_file(warehouse, path, on_progress)
        except UsageError as error:
            unread.append(str(error))
        else:
            yield added
    if unread:
        raise UsageError("\n".join(unread))


def add_file(warehouse: Warehouse, path: Path, on_progress: OnAdded | None = None) -> AddedFile:
    """Read one file, unless the same bytes were read so before; all of it counts or nothing.

    Of the names that the same bytes came under the one with the highest revision counts.

    Raises:
        UsageError: naming file and place.
    """
    digest = _digest(path)
    there = warehouse.rows("from pubmed_file where file_digest = ?", [digest])
    for row in there:
        if row["reading"] == READING:
            verify(path)
            raised = path.name if _raise_rank(warehouse, row, path) else ""
            return AddedFile(path.name, row["n_records"], row["n_withdrawn"], True, raised)
    name, revision = max(
        [(path.name, revision_of(path)), *((row["name"], row["revision"]) for row in there)],
        key=lambda named: named[1],
    )
    file_no = int(warehouse.value("select coalesce(max(file_no), 0) + 1 from pubmed_file"))
    n_records = n_withdrawn = n_unnamed = 0

    def named(changes: Iterator[Change | Unnamed]) -> Iterator[Change]:
        nonlocal n_unnamed
        for change in changes:
            if isinstance(change, Unnamed):
                n_unnamed += 1
            else:
                yield change

    with warehouse.transaction():
        for row in there:
            warehouse.execute("delete from pubmed_change where file_no = ?", [row["file_no"]])
            warehouse.execute("delete from pubmed_file where file_no = ?", [row["file_no"]])
        changes = named(read_baseline(path))
        while rows := [
            _row(change, revision, file_no, position)
            for position, change in enumerate(islice(changes, BATCH), n_records + n_withdrawn)
        ]:
            withdrawn = sum(row["record"] is None for row in rows)
            n_withdrawn += withdrawn
            n_records += len(rows) - withdrawn
            warehouse.append("pubmed_change", rows)
            if on_progress is not None:
                on_progress(path.name, len(rows))
        warehouse.append(
            "pubmed_file",
            [
                {
                    "file_digest": digest,
                    "file_no": file_no,
                    "name": name,
                    "revision": revision,
                    "n_records": n_records,
                    "n_withdrawn": n_withdrawn,
                    "reading": READING,
                    "added_at": datetime.now(UTC),
                }
            ],
        )
    return AddedFile(path.name, n_records, n_withdrawn, False, n_unnamed=n_unnamed)


def _raise_rank(warehouse: Warehouse, file: Row, path: Path) -> bool:
    """Let a file count by the name that it comes under now, where that ranks higher; say whether it does.

    What it says is then said anew: it may take the place of what another file said in between.
    """
    revision = revision_of(path)
    if revision <= file["revision"]:
        return False
    with warehouse.transaction():
        warehouse.execute(
            "update pubmed_file set name = ?, revision = ?, added_at = ? where file_no = ?",
            [path.name, revision, datetime.now(UTC), file["file_no"]],
        )
        warehouse.execute(
            "update pubmed_change set revision = ? where file_no = ?", [revision, file["file_no"]]
        )
    return True


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror or error})") from None


def _row(change: Change, revision: int, file_no: int, position: int) -> Row:
    what = change.what
    place = {
        "source_id": what.source_id,
        "revision": revision,
        "file_no": file_no,
        "position": position,
        "version": change.version,
    }
    if isinstance(what, Deletion):
        return {**place, "doi": None, "pmcid": None, "other_names": None, "warned": False, "record": None}
    names = {name.partition(":")[0]: name for name in reversed(what.identifiers)}
    return {
        **place,
        "doi": names.get("doi"),
        "pmcid": names.get("pmcid"),
        "other_names": [name for name in what.identifiers if name not in names.values()] or None,
        "warned": "yes" in (what.retracted, what.concern),
        "record": json.dumps(asdict(what), ensure_ascii=False),
    }


class PubMedFiles:
    """Resolves PMIDs, DOIs and PMCIDs of what PubMed's files hold; what they do not mention is left alone."""

    name = "pubmed files"

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Answer by the last revision; a record that PubMed has withdrawn is not found."""
        result = Resolution()
        bearers: dict[str, list[tuple[SourceRecord, str]]] = {}
        for row in self._warehouse.rows("from filed_as($names) order by name", {"names": list(source_ids)}):
            name = row["name"]
            if row["record"] is None:
                if name.startswith("pmid:"):
                    result.not_found[name] = f"PubMed has withdrawn this record, says {row['file']}"
                    result.origins[name] = self.name
                continue
            record = record_from_row(json.loads(row["record"]))
            # An earlier revision may have borne the name.
            if name in record.identifiers:
                bearers.setdefault(name, []).append((record, row["file_digest"]))
        for name, told in bearers.items():
            record, result.bodies[name] = min(told, key=lambda bearer: preference(bearer[0]))
            result.found[name] = replace(record, source_id=name)
            result.origins[name] = self.name
        if on_progress is not None and result.settled:
            on_progress(len(result.settled))
        return result


def backed_by_files(
    warehouse: Warehouse, resolution: Resolution, earlier: Collection[str], filed_bare: Collection[str] = ()
) -> Resolution:
    """Let PubMed's files speak where nobody answered, and where a name that stands in them is denied.

    So they do of those that they hold without an abstract, where Crossref alone answered.
    """
    unanswered = [name for name in resolution.unresolved if name not in earlier]
    by_crossref = [
        name
        for name in resolution.found
        if name in filed_bare and name not in earlier and resolution.origins[name] == "crossref"
    ]
    filed = PubMedFiles(warehouse).resolve([*unanswered, *resolution.not_found, *by_crossref])
    told = resolution.unresolved | resolution.not_found

    def without(reasons: Mapping[str, str]) -> dict[str, str]:
        return {name: reason for name, reason in reasons.items() if name not in filed.found}

    return replace(
        resolution,
        found=resolution.found | filed.found,
        not_found=without(resolution.not_found),
        unresolved=without(resolution.unresolved),
        final=resolution.final - filed.found.keys(),
        origins=resolution.origins | dict.fromkeys(filed.found, PubMedFiles.name),
        bodies=resolution.bodies | filed.bodies,
        notes=resolution.notes
        | {name: f"as PubMed's files hold it: {told[name]}" for name in filed.found.keys() & told.keys()},
    )
