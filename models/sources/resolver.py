"""The resolver protocol, and several resolvers in order.

A source that does not answer never makes a citation look fabricated: `not_found` needs an answer without
the record, everything else that went wrong is `unresolved` and may be asked again.
"""

import gzip
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, runtime_checkable

from medassay.models.records import SourceRecord

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class RawBody:
    """What a source sent, byte for byte; the address names what was asked, never who asked."""

    digest: str
    body: bytes = field(repr=False)
    url: str
    fetched_at: datetime

    def packed(self) -> bytes:
        """Return the body as a gzip member that depends on nothing but the body."""
        return gzip.compress(self.body, 6, mtime=0)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of the ids that were asked for; one that is in none of the three was left alone.

    Attributes:
        found: Record by source id; one without sections exists, but has no text to be had.
        not_found: Reason by source id: the source answered, and has no such record.
        unresolved: Reason by source id: nobody could be asked, or gave an answer that could be read.
        requests: Requests sent, of which `requests_again` asked once more for what an answer had left out.
        raw: What was received and read.
        origins: Name of the resolver by source id, for everything in `found`, `not_found`, `unresolved`.
        bodies: Digest of the raw body that a found record was read from, by source id.
        final: Those of `unresolved` for which asking again in this run is pointless: no source may be asked,
            or the one that knows more is not among ours.
        notes: What could not be learnt of a found record, by source id; a later run asks again.
        textless: Those of `found` of which whoever might have a text was asked, and has none either.
    """

    found: dict[str, SourceRecord] = field(default_factory=dict)
    not_found: dict[str, str] = field(default_factory=dict)
    unresolved: dict[str, str] = field(default_factory=dict)
    requests: int = 0
    requests_again: int = 0
    raw: list[RawBody] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    final: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)
    textless: set[str] = field(default_factory=set)

    @property
    def settled(self) -> set[str]:
        """Ids that need not be asked for again."""
        return self.found.keys() | self.not_found.keys()


class Resolver(Protocol):
    """Turns source ids into records; ids of schemes it does not know are left alone."""

    @property
    def name(self) -> str:
        """What the source is called in results and messages."""

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Resolve what can be resolved; never raises for what a source does or fails to do."""


@runtime_checkable
class Patient(Protocol):
    """A source that gives up on a host after a while, and tries it again when told to."""

    def retry_unavailable(self) -> None:
        """Ask again what had stopped answering."""


def retry_unavailable(resolvers: Sequence[Resolver]) -> None:
    """Begin a new attempt: what was silent in the last one may have come back."""
    for resolver in resolvers:
        if isinstance(resolver, Patient):
            resolver.retry_unavailable()


@dataclass(frozen=True, slots=True)
class Closed:
    """Stands for a source that is not asked in this run, and says why."""

    schemes: tuple[str, ...]
    reason: str
    name: str = "closed"

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Leave every id of its schemes unresolved, with the reason."""
        mine = [name for name in source_ids if name.partition(":")[0] in self.schemes]
        return Resolution(
            unresolved=dict.fromkeys(mine, self.reason),
            origins=dict.fromkeys(mine, self.name),
            final=set(mine),
        )


def resolve_in_order(
    resolvers: Sequence[Resolver], source_ids: Sequence[str], on_progress: Progress | None = None
) -> Resolution:
    """Ask resolvers in order; only ids still open go on, and at the end each id is in exactly one place.

    A record without text from a later source does not close an id that an earlier one, which may have the
    text, could not be asked about; nor does its word that there is no such record, since the earlier one may
    hold it. `on_progress` receives the number of ids done since the last call.
    """
    names = list(dict.fromkeys(source_ids))
    total = Resolution()
    requests = again = 0
    for resolver in resolvers:
        still_open = [name for name in names if name not in total.settled]
        if not still_open:
            break
        part = resolver.resolve(still_open)
        requests, again = requests + part.requests, again + part.requests_again
        before = len(total.settled)
        _add(total, part)
        if on_progress is not None and len(total.settled) > before:
            on_progress(len(total.settled) - before)
    for name in names:
        if name not in total.settled and name not in total.unresolved:
            scheme = name.partition(":")[0]
            total.unresolved[name] = f"no source that was asked can look up a {scheme}"
            total.origins[name] = "none"
            total.final.add(name)
    if on_progress is not None and total.unresolved:
        on_progress(len(total.unresolved))
    return replace(total, requests=requests, requests_again=again)


def _add(total: Resolution, part: Resolution) -> None:
    for name, record in part.found.items():
        if not record.sections and name in total.unresolved and "yes" not in record.flags:
            continue
        if name in total.unresolved and name not in total.final:
            # Who knows more was away: that the later one knows of no retraction says less, and is asked about again.
            total.notes[name] = f"its standing could not be checked: {total.unresolved[name]}"
            if record.retracted == "no":
                record = replace(record, retracted="unchecked")
        total.unresolved.pop(name, None)
        total.found[name] = record
        total.origins[name] = part.origins[name]
        if name in part.bodies:
            total.bodies[name] = part.bodies[name]
        if name in part.notes:
            total.notes[name] = part.notes[name]
    for name, reason in part.not_found.items():
        if name in total.unresolved and name not in total.final:
            continue
        total.unresolved.pop(name, None)
        total.not_found[name] = reason
        total.origins[name] = part.origins[name]
    for name, reason in part.unresolved.items():
        if name not in total.unresolved or (name in total.final and name not in part.final):
            total.unresolved[name] = reason
            total.origins[name] = part.origins[name]
            (total.final.add if name in part.final else total.final.discard)(name)
    total.final.intersection_update(total.unresolved)
    total.raw.extend(part.raw)


def body_digest(body: bytes) -> str:
    """Name a body by the first 128 bits of its SHA-256, as 32 hex digits."""
    return hashlib.sha256(body).hexdigest()[:32]
