"""Fetch PubMed records in batches of 200; a batch that fails is halved."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from medassay.models.records import SourceRecord
from medassay.models.sources.article import pmid_of, record_of, version_of
from medassay.models.sources.entrez import Entrez
from medassay.models.sources.identifiers import batches
from medassay.models.sources.medline import Unreadable, read_medline
from medassay.models.sources.resolver import Progress, RawBody
from medassay.models.sources.transport import NoAnswer

_PARTS_OF_AN_OUTAGE = 4

_MOST_SPOILT = 40
"""Answers with something unreadable in them that are asked for in halves: more of them say something of the server."""
_NO_SUCH = (b"id list is empty", b"no correct ids", b"cannot get document", b"invalid uid")
# "GenBank" of 2013, which NCBI's own examples ask for: a PubMed without it has nothing to say of others.
CONTROL = "23193287"


def may_be_of_one(none: NoAnswer) -> bool:
    """Tell whether one value of a list may be what a request failed for: the server failed, or broke off its answer."""
    return none.broken or (not none.silent and none.status is not None and 500 <= none.status < 600)


def asked_in_halves(values: Sequence[str], ask: Callable[[Sequence[str]], None]) -> dict[str, NoAnswer]:
    """Ask for values together, in halves where that fails, and return what failed by value.

    Where four parts were asked for side by side and all failed, it is an outage and nothing more is asked.
    """
    failed: dict[str, NoAnswer] = {}
    level: list[Sequence[str]] = [values] if values else []
    while level:
        broken: list[tuple[Sequence[str], NoAnswer]] = []
        for part in level:
            try:
                ask(part)
            except NoAnswer as none:
                broken.append((part, none))
        outage = len(level) >= _PARTS_OF_AN_OUTAGE and len(broken) == len(level)
        level = []
        for part, failure in broken:
            if outage or len(part) == 1 or not may_be_of_one(failure):
                failed.update(dict.fromkeys(part, failure))
            else:
                middle = len(part) // 2
                level += [part[:middle], part[middle:]]
    return failed


class _Spoilt(NoAnswer):
    """A whole answer came, with something in it that cannot be read."""


@dataclass(slots=True)
class Read:
    """What one answer holds: records, why others cannot be read, PMIDs that nobody asked for."""

    found: dict[str, SourceRecord] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)


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
    spoilt: int = 0
    """How many lists failed, or had an answer with something in it that cannot be read."""
    instead: dict[str, list[str]] = field(default_factory=dict)
    """PMIDs that nobody asked for, by the missing one in whose answer they stood."""


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
        result.instead.update(again.instead)
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
    """Fetch records once.

    Args:
        entrez: what asks.
        pmids: distinct PMIDs.
        on_progress: called with the size of each batch that is done.
        controls: PMIDs that are known to exist, asked for between the others: an answer without one of them
            proves no absence.
        shifted: whether each stands one place further to the front than it would.
    """
    result = Fetched()
    size = entrez.settings.batch
    for batch in batches(pmids, max(1, size // 2, size - len(controls))):
        try:
            _fetch_batch(entrez, batch, result, controls, shifted)
        except NoAnswer as none:
            settled = {*result.found, *result.missing, *result.unanswered}
            _leave_open(result, [pmid for pmid in batch if pmid not in settled], str(none))
        if on_progress is not None:
            on_progress(len(batch))
    return result


def _fetch_batch(
    entrez: Entrez, pmids: Sequence[str], result: Fetched, controls: Sequence[str], shifted: bool
) -> None:
    """Fetch one batch; one that fails for a bad id, or is spoilt by a bad record, is halved until that is alone.

    Before anything is halved, a list has to be answered: another refusal would come once for every id.
    """
    controls = controls[: len(pmids)]
    try:
        raw, read = _asked(entrez, _interleaved(pmids, controls, shifted))
    except NoAnswer as none:
        spoilt = isinstance(none, _Spoilt) or (may_be_of_one(none) and not concerns_ids(none))
        if not spoilt and not concerns_ids(none):
            raise
        result.spoilt += spoilt
        if spoilt and (len(pmids) == 1 or result.spoilt > _MOST_SPOILT):
            _leave_open(result, pmids, str(none))
        elif len(pmids) > 1:
            if not result.listens:
                _asked(entrez, [CONTROL])
                result.listens = True
            middle = len(pmids) // 2
            _fetch_batch(entrez, pmids[:middle], result, controls, shifted)
            _fetch_batch(entrez, pmids[middle:], result, controls, shifted)
        else:
            if controls and not result.proven:
                if controls[0] not in _asked(entrez, controls[:1])[1].found:
                    raise NoAnswer(_without(controls[0])) from None
                result.proven = True
            result.missing.append(pmids[0])
        return
    result.listens = True
    result.raw.append(raw)
    result.found.update((pmid, (read.found[pmid], raw.digest)) for pmid in pmids if pmid in read.found)
    for pmid in pmids:
        if pmid in read.broken:
            _leave_open(result, [pmid], read.broken[pmid])
    absent = [pmid for pmid in pmids if pmid not in read.found and pmid not in read.broken]
    if lost := next((control for control in controls if control not in read.found), None):
        _leave_open(result, absent, _without(lost))
        return
    result.proven = bool(controls)
    result.missing.extend(absent)
    result.instead.update((pmid, read.strangers) for pmid in absent if read.strangers)


def _leave_open(result: Fetched, pmids: Sequence[str], reason: str) -> None:
    result.unanswered.update(dict.fromkeys(pmids, f"PubMed gave no answer: {reason}"))


def concerns_ids(none: NoAnswer) -> bool:
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


def _asked(entrez: Entrez, pmids: Sequence[str]) -> tuple[RawBody, Read]:
    raw = entrez.fetch("pubmed", pmids)
    return raw, read_records(raw, set(pmids))


def _without(control: str) -> str:
    return f"its answer left out even PMID {control}, which it is known to hold"


def read_records(raw: RawBody, wanted: set[str]) -> Read:
    """Read an answer's records by PMID, the last version of each; one that cannot be read says so in its place.

    Raises:
        NoAnswer: when the body is cut off or is no PubMed XML: then none of it counts.
    """
    read = Read()
    versions: dict[str, int] = {}
    try:
        for tag, element in read_medline(io.BytesIO(raw.body)):
            pmid = pmid_of(element) if tag.startswith("Pubmed") else None
            if pmid is None:
                continue
            if pmid not in wanted:
                read.strangers.append(pmid)
                continue
            try:
                record, version = record_of(element), version_of(element)
            except Unreadable as error:
                read.broken[pmid] = f"its answer cannot be read: {error}"
                continue
            if record is not None and version >= versions.get(pmid, 0):
                read.found[pmid], versions[pmid] = record, version
    except Unreadable as error:
        is_whole = raw.body.rstrip().endswith(b"</PubmedArticleSet>")
        kind = _Spoilt if is_whole else NoAnswer
        raise kind(f"its answer cannot be read: {error}", 200, raw.body[:2000]) from None
    for pmid in read.broken:
        read.found.pop(pmid, None)
    return read
