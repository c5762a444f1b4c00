"""PubMed's records by PMID: batches of 200, halved where one id spoils them, and absences that are proven."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.records import SourceRecord
from models.sources.article import record_of, version_of
from models.sources.entrez import Entrez
from models.sources.identifiers import batches
from models.sources.medline import Unreadable, read_medline
from models.sources.resolver import Progress, RawBody
from models.sources.transport import NoAnswer

_PATIENCE = 3
_NO_SUCH = (b"ID list is empty", b"no correct IDs", b"cannot get document", b"Invalid uid")
# "GenBank" of 2013, which NCBI's own examples ask for: a PubMed without it has nothing to say of others.
CONTROL = "23193287"


@dataclass(slots=True)
class Fetched:
    """What asking for a list of PMIDs came to; each PMID is in one of the first three."""

    found: dict[str, tuple[SourceRecord, str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unanswered: dict[str, str] = field(default_factory=dict)
    raw: list[RawBody] = field(default_factory=list)
    requests_again: int = 0
    proven: bool = False
    """Whether the control has come: without it an absence proves nothing."""


def fetch_surely(entrez: Entrez, pmids: Sequence[str], on_progress: Progress | None = None) -> Fetched:
    """Fetch records, and ask once more, a control among them, for what the answers left out."""
    first = fetch_records(entrez, pmids, on_progress)
    if not first.missing:
        return first
    before = entrez.requests
    again = fetch_records(entrez, first.missing, control=next(iter(first.found), CONTROL))
    return Fetched(
        {**first.found, **again.found},
        again.missing,
        {**first.unanswered, **again.unanswered},
        [*first.raw, *again.raw],
        entrez.requests - before,
    )


def fetch_records(
    entrez: Entrez, pmids: Sequence[str], on_progress: Progress | None = None, control: str | None = None
) -> Fetched:
    """Fetch records once; after three batches in a row without any answer the rest is not asked for.

    Args:
        entrez: what asks.
        pmids: distinct PMIDs.
        on_progress: called with the size of each batch that is done.
        control: a PMID that is known to exist, asked for with each batch: an answer without it proves nothing.
    """
    result = Fetched()
    silent = 0
    reason = ""
    for batch in batches(pmids, max(1, entrez.settings.batch - (1 if control else 0))):
        if silent >= _PATIENCE:
            not_asked = f"not asked, since PubMed stopped answering: {reason}"
            result.unanswered.update(dict.fromkeys(batch, not_asked))
            continue
        try:
            _fetch_batch(entrez, batch, result, control)
            silent = 0
        except NoAnswer as none:
            reason = f"PubMed gave no answer: {none}"
            settled = {*result.found, *result.missing, *result.unanswered}
            result.unanswered.update((pmid, reason) for pmid in batch if pmid not in settled)
            silent = silent + 1 if none.silent else 0
        if on_progress is not None:
            on_progress(len(batch))
    return result


def _fetch_batch(entrez: Entrez, pmids: Sequence[str], result: Fetched, control: str | None) -> None:
    """Fetch one batch; one that is refused for a bad id in it is halved until the id is alone."""
    try:
        raw, found = _asked(entrez, pmids, control)
    except NoAnswer as none:
        if none.status != 400 or b"API key" in none.body:
            raise
        if len(pmids) > 1:
            middle = len(pmids) // 2
            _fetch_batch(entrez, pmids[:middle], result, control)
            _fetch_batch(entrez, pmids[middle:], result, control)
        elif any(words in none.body for words in _NO_SUCH):
            if control and not result.proven:
                _asked(entrez, [], control)
                result.proven = True
            result.missing.append(pmids[0])
        else:
            result.unanswered[pmids[0]] = f"PubMed refused the question: {none}"
        return
    result.proven = control is not None
    result.raw.append(raw)
    result.found.update((pmid, (found[pmid], raw.digest)) for pmid in pmids if pmid in found)
    result.missing.extend(pmid for pmid in pmids if pmid not in found)


def _asked(
    entrez: Entrez, pmids: Sequence[str], control: str | None
) -> tuple[RawBody, dict[str, SourceRecord]]:
    wanted = list(dict.fromkeys([*pmids, *([control] if control else [])]))
    raw = entrez.fetch("pubmed", wanted)
    found = read_records(raw, set(wanted))
    if control and control not in found:
        raise NoAnswer(f"its answer left out even PMID {control}, which it is known to hold")
    return raw, found


def read_records(raw: RawBody, wanted: set[str]) -> dict[str, SourceRecord]:
    """Read an answer's records by PMID, foreign ones left out, the last version of each.

    Raises:
        NoAnswer: when the body is cut off or is no PubMed XML: then none of it counts.
    """
    found: dict[str, SourceRecord] = {}
    versions: dict[str, int] = {}
    try:
        for tag, element in read_medline(io.BytesIO(raw.body)):
            record = record_of(element) if tag.startswith("Pubmed") else None
            if record is None:
                continue
            pmid = record.source_id.removeprefix("pmid:")
            if pmid in wanted and version_of(element) >= versions.get(pmid, 0):
                found[pmid], versions[pmid] = record, version_of(element)
    except Unreadable as error:
        raise NoAnswer(f"its answer cannot be read: {error}", 200, raw.body[:2000]) from None
    return found
