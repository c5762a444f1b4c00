"""Refresh sources: fetch again and record retractions and changes."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from medassay.models.counting import counted
from medassay.models.keys import content_key
from medassay.models.settings import Settings
from medassay.models.sources.abstracts import JOINED, crossref_among, with_abstracts
from medassay.models.sources.choosing import choose_resolvers
from medassay.models.sources.resolver import Progress, Resolution, Resolver, resolve_in_order
from medassay.models.sources.transfer import record_from_row
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Row, Warehouse, statement, warehouse_at
from medassay.tasks.progress import watcher
from medassay.tasks.run import home_lock
from medassay.tasks.sources.stale import (
    StaleCount,
    due_sources,
    known_sources,
    redate_future_events,
    standing,
)
from medassay.tasks.sources.storing import learn
from medassay.tasks.stages.fetch import asked_in_batches, nobody_to_ask, spec

FLAGS = {"retracted": "retracted", "concern": "expression of concern", "erratum": "erratum"}


@dataclass(frozen=True, slots=True)
class Moved:
    """A source of which the world says something else than before; `what` names it in a word or two."""

    source_id: str
    what: str
    title: str

    def said(self) -> str:
        """Return it as one line."""
        return f"{self.source_id}: {self.what}{f' · {self.title}' if self.title else ''}"


class Unanswered(Exception):
    """Some sources could not be asked about; the message says which and why, and what was known of them stays."""


@dataclass(slots=True)
class Refreshed:
    """What came of asking again.

    Attributes:
        n_asked: Sources that were asked about.
        n_answered: Those of them about which an answer came, the same as before or not.
        answered_by: How many of these each source answered; what a source denies and PubMed's files hold stands with
            the files, where runs read it.
        n_new_text: Those that have another text now.
        moved: Notices that were not there before or were taken back, records and texts that came or went, and other
            titles, by source id.
        unanswered: Why nothing was learnt, by source id; what was known of them stays, and the next time may help.
        unaskable: The same of those that no source here can be asked about.
        known: What could be asked about, and since when it was known.
    """

    n_asked: int = 0
    n_answered: int = 0
    answered_by: dict[str, int] = field(default_factory=dict)
    n_new_text: int = 0
    moved: list[Moved] = field(default_factory=list)
    unanswered: dict[str, str] = field(default_factory=dict)
    unaskable: dict[str, str] = field(default_factory=dict)
    known: StaleCount = StaleCount(0, None)

    def said(self) -> str:
        """Return a line on what came of it."""
        if not self.n_asked:
            return self.known.nothing_to_ask(datetime.now(UTC))
        new = f", {self.n_new_text:,} with another text" if self.n_new_text else ""
        by = ", ".join(f"{name} {count:,}" for name, count in sorted(self.answered_by.items()))
        answered = f"{self.n_answered:,} answered{f' ({by})' if by else ''}"
        return f"{counted(self.n_asked, 'source')} asked about again, {answered}{new}"

    def refuse_silence(self) -> None:
        """End in an error that names what nothing was learnt of, if there is any.

        Raises:
            Unanswered: with a line a reason.
        """
        if self.unanswered:
            raise Unanswered("\n".join(_by_reason(self.unanswered)))

    def left_alone(self) -> list[str]:
        """Return of whom no source here can be asked, a line a reason."""
        return _by_reason(self.unaskable)


def _by_reason(reasons: dict[str, str]) -> list[str]:
    named: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        named.setdefault(reason, []).append(name)
    return [
        f"{names[0]}{f' and {len(names) - 1:,} more' if len(names) > 1 else ''}: {reason}"
        for reason, names in named.items()
    ]


def refresh_home(home: Path, older_than: timedelta, *, wait: bool = True) -> Refreshed:
    """Ask again about a home's sources, and show how far it is; see `refresh_sources`."""
    with home_lock(home, "(sources refresh)", wait=wait):
        warehouse = warehouse_at(home)
        n_due = len(due_sources(warehouse, older_than, datetime.now(UTC)))
        watcher().begin("refresh", n_due, n_due)
        came = refresh_sources(
            warehouse,
            older_than,
            lambda n: watcher().advance("refresh", n),
            lambda moved: watcher().say(moved.said()),
        )
        watcher().end("refresh", came.said())
    return came


def refresh_sources(
    warehouse: Warehouse,
    older_than: timedelta,
    on_progress: Progress | None = None,
    on_moved: Callable[[Moved], None] = lambda moved: None,
) -> Refreshed:
    """Ask PubMed, PMC and Crossref again about every source whose last word is older than that.

    Runs that were evaluated keep what they read; the next run of the same data reads what was learnt.

    Args:
        warehouse: where they are kept.
        older_than: sources that were told of since are left alone.
        on_progress: told how many more are done.
        on_moved: told what moved, batch by batch: an interruption takes nothing back.

    Raises:
        UsageError: where there is something to ask, and no source outside this machine may be asked.
    """
    settings = Settings("refresh")
    now = datetime.now(UTC)
    wanted = due_sources(warehouse, older_than, now)
    if wanted and (reason := nobody_to_ask(settings)):
        raise UsageError(reason)
    fingerprint = content_key({"stage": "fetch", **spec(settings)})
    result = Refreshed(n_asked=len(wanted), known=known_sources(warehouse))
    redate_future_events(warehouse, now)
    resolvers = choose_resolvers(())
    crossref = crossref_among(resolvers)
    for resolution in asked_in_batches(resolvers, wanted, on_progress):
        before = standing(warehouse, [*resolution.settled, *resolution.unresolved])
        articles = _denied_articles(resolvers, resolution, before)
        vanished = {name for name in before if articles.not_found.keys() & before[name]["pmids"]}
        whole = with_abstracts(resolution, crossref)
        told = _no_poorer(whole, before, vanished, asks_crossref=crossref is not None)
        raised = _raised(warehouse, whole, told, before)
        before |= standing(warehouse, list(articles.not_found))
        for what in (articles, told, raised):
            learn(warehouse, what, fingerprint)
        result.unanswered |= {name: told.unresolved[name] for name in told.unresolved.keys() - told.final}
        result.unaskable |= {name: told.unresolved[name] for name in told.final}
        result.n_answered += len(told.settled)
        after = standing(
            warehouse, sorted(told.settled | raised.settled | vanished | articles.not_found.keys())
        )
        for name, row in after.items():
            if name in told.settled:
                by = row["origin"] if row["is_filed"] else told.origins[name]
                result.answered_by[by] = result.answered_by.get(by, 0) + 1
            result.n_new_text += row["text"] not in (None, before[name]["text"])
            for moved in _moved(before[name], row):
                result.moved.append(moved)
                on_moved(moved)
    result.moved.sort(key=lambda moved: moved.source_id)
    return result


def _denied_articles(
    resolvers: Sequence[Resolver], resolution: Resolution, before: dict[str, Row]
) -> Resolution:
    """Ask by PMID for the articles of DOIs that PubMed told of and does no more; return those that it denies.

    A search that finds nothing proves nothing.
    """
    pmids = [
        pmid
        for name, row in before.items()
        if resolution.origins.get(name) not in ("pubmed", None)
        for pmid in row["pmids"]
    ]
    asked = resolve_in_order(resolvers, pmids)
    return Resolution(not_found=asked.not_found, origins=asked.origins)


def _no_poorer(
    resolution: Resolution, before: dict[str, Row], vanished: Collection[str], *, asks_crossref: bool
) -> Resolution:
    """Leave out what was told while a source that knows more was away: what is known of these stays.

    Crossref's word takes the place of nothing that PubMed or PMC said and has not taken back by denying the article,
    and PubMed's silence of no abstract of Crossref's.
    """
    left = dict(resolution.notes)
    without_crossref = {
        name: "its abstract is Crossref's, which was not asked, and stays: set MEDASSAY_CROSSREF=1 to allow it"
        for name, record in resolution.found.items()
        if before[name]["origin"] == JOINED and not record.sections and not asks_crossref
    }
    by_crossref = without_crossref | {
        name: "only Crossref answered, and what PubMed said of it stays"
        for name in resolution.found.keys() - left.keys()
        if resolution.origins[name] == "crossref"
        and name not in vanished
        and before[name]["origin"] in ("pubmed", "pmc", "pubmed files", JOINED)
    }
    return replace(
        resolution,
        found={
            name: record for name, record in resolution.found.items() if name not in {**left, **by_crossref}
        },
        notes={},
        textless=resolution.textless - left.keys() - by_crossref.keys(),
        unresolved=resolution.unresolved | left | by_crossref,
        final=resolution.final | by_crossref.keys(),
    )


def _raised(warehouse: Warehouse, whole: Resolution, told: Resolution, before: dict[str, Row]) -> Resolution:
    """Give what was known of sources the notices that somebody told whose word was otherwise left out.

    That an article is retracted counts at once, whoever says so.
    """
    notices: dict[str, dict[str, Any]] = {
        name: {flag: "yes" for flag, said in zip(FLAGS, record.flags, strict=True) if said == "yes"}
        for name, record in whole.found.items()
        if name not in told.found
    }
    names = [name for name, new in notices.items() if any(before[name][flag] != "yes" for flag in new)]
    rows = warehouse.rows(_RECORDS, {"names": names})
    found = {
        row["source_id"]: replace(record_from_row(json.loads(row["record"])), **notices[row["source_id"]])
        for row in rows
    }
    return Resolution(
        found=found,
        origins=dict.fromkeys(found, JOINED),
        bodies={name: whole.bodies[name] for name in found if name in whole.bodies},
        raw=whole.raw,
    )


_RECORDS = statement("statements/citations/refreshing/records")


def _moved(before: Row, after: Row) -> Iterable[Moved]:
    name, title = after["source_id"], after["title"] or before["title"] or ""
    if after["is_there"] != before["is_there"]:
        yield Moved(name, "found, and was not before" if after["is_there"] else "no longer there", title)
    elif after["is_filed"] and not before["is_filed"]:
        yield Moved(name, f"no longer at its source, and read from {after['file']}", title)
    if before["text"] and not after["text"] and after["is_there"]:
        yield Moved(name, "its text is gone", title)
    for flag, what in FLAGS.items():
        if after[flag] == "yes" and before[flag] != "yes":
            yield Moved(name, what, title)
        elif before[flag] == "yes" and after[flag] != "yes":
            yield Moved(name, f"no longer: {what}", title)
    if after["is_there"] and before["is_there"] and after["title"] != before["title"]:
        yield Moved(name, f"another title; it was: {before['title']}", title)
