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
_NO_SUCH = (b"id list is empty", b"no correct ids", b"cannot get document", b"invalid uid")
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
    """Whether the controls have come: without them an absence proves nothing."""
    listens: bool = False
    """Whether any list was answered: what refuses every list refuses more than single ids."""


def fetch_surely(entrez: Entrez, pmids: Sequence[str], on_progress: Progress | None = None) -> Fetched:
    """Fetch records, and ask twice more, with controls among them, for what the answers left out.

    A server that leaves out places of a list must not make records look absent: what is still missing stands in
    another place each time, and controls stand where it stood before.
    """
    result = fetch_records(entrez, pmids, on_progress)
    before = entrez.requests
    for shifted in (False, True):
        if not result.missing:
            break
        controls = list(result.found)[: entrez.settings.batch // 2] or [CONTROL]
        again = fetch_records(entrez, result.missing[::-1], controls=controls, shifted=shifted)
        result.found.update(again.found)
        result.missing = again.missing[::-1]
        result.unanswered.update(again.unanswered)
        result.raw.extend(again.raw)
    result.requests_again = entrez.requests - before
    return result


def fetch_records(
    entrez: Entrez,
    pmids: Sequence[str],
    on_progress: Progress | None = None,
    controls: Sequence[str] = (),
    *,
    shifted: bool = False,
) -> Fetched:
    """Fetch records once; after three batches in a row without any answer the rest is not asked for.

    Args:
        entrez: what asks.
        pmids: distinct PMIDs.
        on_progress: called with the size of each batch that is done.
        controls: PMIDs that are known to exist, asked for between the others: an answer without one of them
            proves no absence.
        shifted: whether each stands one place further to the front than it would.
    """
    result = Fetched()
    silent = 0
    reason = ""
    size = entrez.settings.batch
    for batch in batches(pmids, max(1, size // 2, size - len(controls))):
        if silent >= _PATIENCE:
            not_asked = f"not asked, since PubMed stopped answering: {reason}"
            result.unanswered.update(dict.fromkeys(batch, not_asked))
            continue
        try:
            _fetch_batch(entrez, batch, result, controls, shifted)
            silent = 0
        except NoAnswer as none:
            reason = f"PubMed gave no answer: {none}"
            settled = {*result.found, *result.missing, *result.unanswered}
            result.unanswered.update((pmid, reason) for pmid in batch if pmid not in settled)
            silent = silent + 1 if none.silent else 0
        if on_progress is not None:
            on_progress(len(batch))
    return result


def _fetch_batch(
    entrez: Entrez, pmids: Sequence[str], result: Fetched, controls: Sequence[str], shifted: bool
) -> None:
    """Fetch one batch; one that is refused for a bad id in it is halved until the id is alone.

    Before anything is halved, a list has to be answered: another refusal would come once for every id.
    """
    controls = controls[: len(pmids)]
    try:
        raw, found = _asked(entrez, _interleaved(pmids, controls, shifted))
    except NoAnswer as none:
        if not speaks_of_ids(none):
            raise
        if len(pmids) > 1 and not result.listens:
            _asked(entrez, [CONTROL])
            result.listens = True
        if len(pmids) > 1:
            middle = len(pmids) // 2
            _fetch_batch(entrez, pmids[:middle], result, controls, shifted)
            _fetch_batch(entrez, pmids[middle:], result, controls, shifted)
        else:
            if controls and not result.proven:
                if controls[0] not in _asked(entrez, controls[:1])[1]:
                    raise NoAnswer(_without(controls[0])) from None
                result.proven = True
            result.missing.append(pmids[0])
        return
    result.listens = True
    result.raw.append(raw)
    result.found.update((pmid, (found[pmid], raw.digest)) for pmid in pmids if pmid in found)
    absent = [pmid for pmid in pmids if pmid not in found]
    if lost := next((control for control in controls if control not in found), None):
        reason = f"PubMed gave no answer: {_without(lost)}"
        result.unanswered.update(dict.fromkeys(absent, reason))
        return
    result.proven = bool(controls)
    result.missing.extend(absent)


def speaks_of_ids(none: NoAnswer) -> bool:
    """Tell a refusal for what was asked about from one for who asked, how, or when."""
    return none.status == 400 and any(words in none.body.lower() for words in _NO_SUCH)


def _interleaved(pmids: Sequence[str], controls: Sequence[str], shifted: bool) -> list[str]:
    """Put a control before each PMID; of fewer controls the last one ends the list, where answers are cut."""
    last = controls[-1:] if 1 < len(controls) < len(pmids) else ()
    order = list(pmids)
    for n, control in enumerate(controls[: len(controls) - len(last)]):
        order.insert(2 * n, control)
    order.extend(last)
    return [*order[1:], *order[:1]] if shifted else order


def _asked(entrez: Entrez, pmids: Sequence[str]) -> tuple[RawBody, dict[str, SourceRecord]]:
    raw = entrez.fetch("pubmed", pmids)
    return raw, read_records(raw, set(pmids))


def _without(control: str) -> str:
    return f"its answer left out even PMID {control}, which it is known to hold"


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
