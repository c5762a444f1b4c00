"""Stage `fetch`: passages of cited sources, or the reason why there are none."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from medassay.models.attribution import EVIDENCE
from medassay.models.settings import Settings
from medassay.models.sources.resolver import Progress, Resolution, Resolver
from medassay.models.sources.transfer import record_from_row
from medassay.tasks.documents import pin_addresses
from medassay.tasks.nli.rereading import read_kept_bodies
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.sources.carried_texts import carried, pin_own
from medassay.tasks.sources.storing import READING, learn
from medassay.tasks.stages.stage import Stage, Step

BATCH = 200
# So many batches in a row without any answer, and the rest waits for the next attempt.
PATIENCE = 3
# What some source or other can look up; the rest is settled without asking.
ASKABLE = ("pmid", "pmcid", "doi")


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: which sources may be, and how their answers are read."""
    from medassay.models.sources.choosing import why_pubmed_is_closed
    from medassay.models.sources.crossref import CrossrefSettings
    from medassay.models.sources.entrez import EntrezSettings

    closed = why_pubmed_is_closed(offline=settings.offline)
    crossref = None if settings.offline else CrossrefSettings.from_environment()
    return {
        "pubmed": None if closed else EntrezSettings.from_environment().base_url,
        "converter": None if closed else EntrezSettings.from_environment().converter_url,
        "crossref": crossref.base_url if crossref else None,
        "stage_version": READING,
    }


def work(step: Step) -> None:
    """Fetch the text of cited sources, one batch a transaction."""
    from medassay.models.sources.abstracts import crossref_among, with_abstracts
    from medassay.tasks.sources.pubmed_files import backed_by_files

    resolvers = resolvers_of(step.run.run_id, step.settings.offline)
    crossref = crossref_among(resolvers)
    texts = carried(step)
    earlier = {row["source_id"]: row["fetch_no"] for row in step.warehouse.rows("from fetch_cached")}
    filed = {row["source_id"] for row in step.warehouse.rows("from fetch_abstract where is_filed")}
    asks_pubmed = spec(step.settings)["pubmed"] is not None
    for resolution in asked_in_batches(resolvers, pending(step), step.advance):
        told = with_abstracts(backed_by_files(step.warehouse, resolution, earlier, filed), crossref)
        if asks_pubmed:  # which has no record of what Crossref told without a text
            by_crossref = [name for name in told.found if told.origins[name] == "crossref"]
            told.textless.update(name for name in by_crossref if not told.found[name].sections)
        settle(step, told, earlier, texts)


def asked_in_batches(
    resolvers: Sequence[Resolver], source_ids: Sequence[str], on_progress: Progress | None
) -> Iterator[Resolution]:
    """Ask for sources batch by batch; after three batches of a scheme without any answer the rest of it is left.

    Another scheme may be asked of others: an id converter that is down says nothing of PubMed.
    """
    from medassay.models.sources.resolver import resolve_in_order, retry_unavailable

    retry_unavailable(resolvers)
    silent, last, asking = 0, "", ""
    for batch in batches(source_ids):
        scheme = batch[0].partition(":")[0]
        silent = silent if scheme == asking else 0
        asking = scheme
        if silent >= PATIENCE:
            reason = f"not asked, since the sources stopped answering: {last}"
            if on_progress is not None:
                on_progress(len(batch))
            yield Resolution(unresolved=dict.fromkeys(batch, reason))
            continue
        resolution = resolve_in_order(resolvers, batch, on_progress)
        open_still = resolution.unresolved.keys() - resolution.final
        silent = silent + 1 if len(open_still) == len(batch) else 0
        last = next(iter(resolution.unresolved.values()), last)
        yield resolution


@lru_cache(maxsize=1)
def resolvers_of(run_id: str, offline: bool) -> list[Resolver]:
    """Return the sources of a run, the same in every attempt: one that wants to be left alone is left alone."""
    from medassay.models.sources.choosing import choose_resolvers

    return choose_resolvers((), offline=offline)


def pending(step: Step) -> list[str]:
    """Return the source ids that this run has pinned nothing for."""
    return [row["item_key"] for row in step.pending()]


def batches(source_ids: Sequence[str]) -> list[list[str]]:
    """Cut ids into batches of one scheme each, so that as few requests as possible ask for all PMIDs."""
    schemes: dict[str, list[str]] = {}
    for source_id in source_ids:
        schemes.setdefault(source_id.partition(":")[0], []).append(source_id)
    return [
        names[start : start + BATCH] for names in schemes.values() for start in range(0, len(names), BATCH)
    ]


def prepare(run: RunRef) -> None:
    """Pin what is at hand: earlier fetches, PubMed's files, answers' own texts; where nobody may be asked, say so.

    An answer's own text of what can be looked up is the last resort: it proves nothing of a PMID that is made up.
    """
    step = Step(run, fetch.name, fetch.pin(run), run.warehouse, run.settings)
    if not pending(step):
        return
    read_kept_bodies(step.warehouse)
    texts = carried(step)
    pin_own(step, {name for name in texts if name.partition(":")[0] not in ASKABLE})
    pin_addresses(step.run, pending(step))
    nobody = nobody_to_ask(step.settings)
    pin_cached(step, texts, whole=nobody is not None)
    pin_filed(step, texts, whole=nobody is not None)
    pin_known_missing(step)
    pin_quarantined(step)
    if nobody:
        pin_own(step, texts.intersection(pending(step)))
    pin_unaskable(step, nobody)


def nobody_to_ask(settings: Settings) -> str | None:
    """Return why no source outside this machine is asked; None where one is."""
    from medassay.models.sources.choosing import why_pubmed_is_closed

    return why_pubmed_is_closed(offline=settings.offline) if spec(settings)["crossref"] is None else None


def pin(step: Step, rows: Iterable[tuple[str, int | None, str, str | None]]) -> None:
    """Write down which text of each source this run uses: (source, fetch number, state, reason)."""
    step.warehouse.insert(
        "run_source",
        [
            {
                "run_id": step.run.run_id,
                "source_id": source_id,
                "fetch_no": fetch_no,
                "state": state,
                "reason": reason,
            }
            for source_id, fetch_no, state, reason in rows
        ],
    )


def pin_cached(step: Step, texts: Collection[str], *, whole: bool) -> None:
    """Use what was fetched before; that of which something is still to be learnt only where nobody can be asked."""
    cached = step.warehouse.rows("from fetch_cached where $whole or not is_open", {"whole": whole})
    bare = [row for row in cached if row["source_id"] in texts and row["record"] and not row["has_text"]]
    records = {row["source_id"]: record_from_row(json.loads(row["record"])) for row in bare}
    pin_own(step, records, records)
    pin(step, [(row["source_id"], row["fetch_no"], "found", None) for row in cached])


def fall_back(
    step: Step,
    reasons: Mapping[str, str],
    earlier: Mapping[str, int],
    final: Collection[str] = (),
    carried: Collection[str] = (),
) -> None:
    """Use an earlier fetch of what could not be asked about now, or what each answer carries of what never can be.

    What is without is unverifiable or has failed: an outage makes nobody's word evidence.
    """
    kept = [name for name in reasons if name in earlier]
    left = sorted(reasons.keys() - earlier.keys())
    pin(step, [(name, earlier[name], "found", f"as fetched before: {reasons[name]}") for name in kept])
    pin_own(step, [name for name in left if name in carried and name in final])
    pin(step, [(name, None, "unverifiable", reasons[name]) for name in left if name in final])
    set_aside(step, "failed", {name: reasons[name] for name in left if name not in final})


def pin_filed(step: Step, texts: Collection[str], *, whole: bool) -> None:
    """Use what PubMed's files hold.

    Where somebody else can be asked, not of a PMCID that PMC does not deny, which may have a full text, nor of what
    was fetched and is asked about once more: no file takes back what a source said. Nor of what they have no abstract
    of, and Crossref may.
    """
    from medassay.models.sources.identifiers import is_notice
    from medassay.tasks.sources.pubmed_files import PubMedFiles

    files: Resolver = PubMedFiles(step.warehouse)
    asked = {row["source_id"] for row in step.warehouse.rows("from fetch_cached where is_open")}
    denied = {row["source_id"] for row in step.warehouse.rows("from fetch_known_missing")}
    asked.update(row["source_id"] for row in step.warehouse.rows("from fetch_abstract where is_filed"))
    names = [row["source_id"] for row in step.warehouse.rows("from fetch_filed order by source_id")]
    asked.update(name for name in names if name.startswith("pmcid:") and name not in denied)
    for batch in batches([name for name in names if whole or name not in asked]):
        told = files.resolve(batch)
        if not whole:
            # A notice may bear the DOI of its article, which the files need not hold.
            notices = [name for name in told.found if name.startswith("doi:") and is_notice(told.found[name])]
            for name in notices:
                del told.found[name], told.origins[name], told.bodies[name]
        settle(step, told, carried=texts)


def pin_known_missing(step: Step) -> None:
    """Keep to it that a source which answered does not know this record, until `--retry`."""
    missing = step.warehouse.rows("from fetch_known_missing")
    pin(step, [(row["source_id"], None, "not_found", row["reason"]) for row in missing])
    set_aside(step, "not_found", {row["source_id"]: row["reason"] for row in missing})


def pin_quarantined(step: Step) -> None:
    """Call documents that stand in quarantine unverifiable: they are no invention of who cites them."""
    reasons = {
        row["source_id"]: f"the document is in quarantine: {row['place']}: {row['rule']}"
        for row in step.warehouse.rows("from fetch_quarantined order by source_id")
    }
    pin(step, [(name, None, "unverifiable", reason) for name, reason in reasons.items()])


def pin_unaskable(step: Step, nobody: str | None) -> None:
    """Settle what no source can be asked about, and say once how much that is for want of one."""
    from medassay.models.sources.choosing import choose_resolvers
    from medassay.models.sources.resolver import resolve_in_order

    waiting = pending(step)
    askable = [name for name in waiting if name.partition(":")[0] in ASKABLE]
    unread = step.warehouse.rows("from fetch_unread")
    n_unread = len({row["source_id"] for row in unread}.intersection(askable))
    if nobody and n_unread:
        what = "1 cited source" if n_unread == 1 else f"{n_unread} cited sources"
        watcher().say(f"{what} cannot be checked: {nobody}")
    unaskable = waiting if nobody else [name for name in waiting if name not in set(askable)]
    if unaskable:
        settle(step, resolve_in_order(choose_resolvers((), offline=step.settings.offline), unaskable))


def settle(
    step: Step,
    resolution: Resolution,
    earlier: Mapping[str, int] | None = None,
    carried: Collection[str] = (),
) -> None:
    """Write down what became of a batch, whole or not at all.

    What a source does not know is not found; what nobody may be asked about is unverifiable; what went wrong has
    failed: it is asked for again, and stays unverifiable with the reason when the last attempt fails too. Of the
    last two, those with an `earlier` fetch keep to it. Of a record without a text, and of what nobody may be asked
    about, each answer is judged by the text that it has `carried` itself.
    """
    with step.warehouse.transaction():
        numbers = learn(step.warehouse, resolution, step.fingerprint)
        found = resolution.found.items()
        pin_own(
            step,
            [name for name, record in found if name in carried and not record.sections],
            resolution.found,
        )
        notes = resolution.notes
        pin(step, [(name, fetch_no, "found", notes.get(name)) for name, fetch_no in numbers.items()])
        pin(step, [(name, None, "not_found", reason) for name, reason in resolution.not_found.items()])
        set_aside(step, "not_found", resolution.not_found)
        fall_back(step, resolution.unresolved, earlier or {}, resolution.final, carried)


def set_aside(step: Step, state: str, reasons: Mapping[str, str]) -> None:
    """Record why sources have no text in this run, all at once: an outage concerns thousands."""
    if state == "failed":
        step.failures.update(reasons)
    step.warehouse.execute(
        "insert or replace into outcome by name"
        " select $run_id as run_id, 'fetch' as stage, unnest($names::varchar[]) as item_key,"
        " $fingerprint as fingerprint, $state as state, unnest($reasons::varchar[]) as reason, 1 as attempts",
        {
            "run_id": step.run.run_id,
            "fingerprint": step.fingerprint,
            "state": state,
            "names": list(reasons),
            "reasons": list(reasons.values()),
        },
    )


fetch = Stage(
    "fetch",
    work,
    spec,
    EVIDENCE,
    prepare=prepare,
    retries=2,
    settles=("current_source", "current_passage", "current_citation", "citation_pair", "current_corpus"),
    writes=("source", "passage", "run_source", "missing_source"),
)
