"""Sources asked about again: an article that was fine when it was fetched may be retracted since."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from models.counting import counted
from models.keys import content_key
from models.settings import Settings, UsageError
from models.sources.choosing import choose_resolvers
from models.sources.resolver import Progress, resolve_in_order
from sql.warehouse import Row, Warehouse, warehouse_at
from tasks.citations.fetch import ASKABLE, PATIENCE, batches, nobody_to_ask, spec
from tasks.citations.sources import learn
from tasks.progress import watcher
from tasks.run import home_lock

FLAGS = {"retracted": "retracted", "concern": "expression of concern", "erratum": "erratum"}


@dataclass(frozen=True, slots=True)
class Moved:
    """A source of which the world says something else than before; `what` names it in a word or two."""

    source_id: str
    what: str
    title: str


class Unanswered(Exception):
    """Some sources could not be asked about; the message says which and why, and what was known of them stays."""


@dataclass(slots=True)
class Refreshed:
    """What came of asking again.

    Attributes:
        n_asked: Sources that were asked about.
        n_answered: Those of them about which an answer came, the same as before or not.
        n_new_text: Those whose text or title is another one now.
        moved: Notices that were not there before or were taken back, and records that came or went, by source id.
        unanswered: Why nothing was learnt, by source id; what was known of them stays.
    """

    n_asked: int = 0
    n_answered: int = 0
    n_new_text: int = 0
    moved: list[Moved] = field(default_factory=list)
    unanswered: dict[str, str] = field(default_factory=dict)

    def said(self) -> str:
        """Say in a line what came of it."""
        if not self.n_asked:
            return "nothing to ask: all sources were asked about since"
        new = f", {self.n_new_text:,} with another text" if self.n_new_text else ""
        return f"{counted(self.n_asked, 'source')} asked about again, {self.n_answered:,} answered{new}"

    def refuse_silence(self) -> None:
        """End in an error that names what nothing was learnt of, if there is any.

        Raises:
            Unanswered: with a line a reason.
        """
        reasons: dict[str, list[str]] = {}
        for name, reason in self.unanswered.items():
            reasons.setdefault(reason, []).append(name)
        lines = [
            f"{names[0]}{f' and {len(names) - 1:,} more' if len(names) > 1 else ''}: {reason}"
            for reason, names in reasons.items()
        ]
        if lines:
            raise Unanswered("\n".join(lines))


def refresh_home(home: Path, older_than: timedelta, *, wait: bool = True) -> Refreshed:
    """Ask again about a home's sources, and show how far it is; see `refresh_sources`."""
    with home_lock(home, "(sources refresh)", wait=wait):
        warehouse = warehouse_at(home)
        n_stale = len(_stale(warehouse, older_than))
        watcher().begin("refresh", n_stale, n_stale)
        came = refresh_sources(warehouse, older_than, lambda n: watcher().advance("refresh", n))
        watcher().end("refresh", came.said())
    return came


def refresh_sources(
    warehouse: Warehouse, older_than: timedelta, on_progress: Progress | None = None
) -> Refreshed:
    """Ask PubMed, PMC and Crossref again about every source whose last word is older than that.

    Runs that were evaluated keep what they read; the next run of the same data reads what was learnt.

    Args:
        warehouse: where they are kept.
        older_than: sources that were told of since are left alone.
        on_progress: told how many more are done.

    Raises:
        UsageError: where no source outside this machine may be asked.
    """
    settings = Settings("refresh")
    if reason := nobody_to_ask(settings):
        raise UsageError(reason)
    fingerprint = content_key({"stage": "fetch", **spec(settings)})
    resolvers = choose_resolvers(())
    wanted = _stale(warehouse, older_than)
    result = Refreshed(n_asked=len(wanted))
    silent, last = 0, ""
    for batch in batches(wanted):
        if silent >= PATIENCE:
            result.unanswered |= dict.fromkeys(
                batch, f"not asked, since the sources stopped answering: {last}"
            )
            continue
        before = _standing(warehouse, batch)
        resolution = resolve_in_order(resolvers, batch, on_progress)
        learn(warehouse, resolution, fingerprint)
        result.unanswered |= resolution.unresolved
        result.n_answered += len(resolution.settled)
        after = _standing(warehouse, sorted(resolution.settled))
        result.n_new_text += sum(
            row["text"] not in (None, before[name]["text"]) for name, row in after.items()
        )
        result.moved += [moved for name, row in after.items() for moved in _moved(before[name], row)]
        open_still = resolution.unresolved.keys() - resolution.final
        silent = silent + 1 if len(open_still) == len(batch) else 0
        last = next(iter(resolution.unresolved.values()), last)
    result.moved.sort(key=lambda moved: moved.source_id)
    return result


def _stale(warehouse: Warehouse, older_than: timedelta) -> list[str]:
    told = {"before": datetime.now(UTC) - older_than, "schemes": list(ASKABLE)}
    return [row["source_id"] for row in warehouse.rows(_STALE, told)]


def _moved(before: Row, after: Row) -> Iterable[Moved]:
    name, title = after["source_id"], after["title"] or before["title"] or ""
    if after["is_there"] != before["is_there"]:
        yield Moved(name, "found, and was not before" if after["is_there"] else "no longer there", title)
    for flag, what in FLAGS.items():
        if after[flag] == "yes" and before[flag] != "yes":
            yield Moved(name, what, title)
        elif after[flag] == "no" and before[flag] == "yes":
            yield Moved(name, f"no longer: {what}", title)


def _standing(warehouse: Warehouse, names: list[str]) -> dict[str, Row]:
    return {row["source_id"]: row for row in warehouse.rows(_STANDING, {"names": names})}


_STALE = """
select source_id
from (
    select source_id, told_at from newest_source
    union all
    select source_id, fetched_at as told_at from denied_source
)
where split_part(source_id, ':', 1) in (select unnest($schemes::varchar[]))
group by source_id
having max(told_at) < $before
order by source_id
"""

_STANDING = """
with names as (select unnest($names::varchar[]) as source_id),

texts as (
    select source_id, fetch_no, md5(string_agg(concat_ws(' ', label, text_key), chr(10) order by position)) as text
    from passage
    group by source_id, fetch_no
)

select
    names.source_id,
    newest.source_id is not null and denied.source_id is null as is_there,
    newest.title,
    if(is_there, texts.text, null) as text,
    newest.retracted,
    newest.concern,
    newest.erratum
from names
left join newest_source as newest using (source_id)
left join denied_source as denied using (source_id)
left join texts on texts.source_id = newest.source_id and texts.fetch_no = newest.fetch_no
"""
