"""Verdicts from the GPU work pool: write shards, collect results, recover from lost workers.

The engine is Prefect's: each shard is one run of the deployment `entail/gpu`. What is believed is only what lies
at the storage and answers exactly what was asked; a run's state only tells when to stop waiting.
"""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from medassay.models.entailment.loading import describe_entailment
from medassay.models.entailment.shard_files import ShardRefused, Storage, StorageGone
from medassay.models.entailment.shards import ids_digest, read_verdicts, shard_name, write_request
from medassay.models.keys import content_key
from medassay.models.records import PairVerdict
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.citations.pool_server import (
    POOL,
    RUN_HERE,
    PoolUnavailable,
    ask_to_read,
    cancel,
    check_pool,
    has_worker,
    if_known,
    one_line,
    state_of,
    timeout_s,
)
from medassay.tasks.citations.shard_layout import Laid, Sent, laid_in_shards, taken_in
from medassay.tasks.citations.verdicts import (
    Lost,
    Readings,
    pool_reader,
    reads_on_the_pool,
    score_row,
    storage_elsewhere,
    storage_of,
)
from medassay.tasks.phi import guarded_pairs
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Step

SHARD_PAIRS = 10_000
POLL_S = 2.0
SILENCE_S = 300.0
"""A reader says how far it is every ten seconds, and a worker is heard of every thirty."""


def refuse_without_worker(run: RunRef) -> None:
    """Find out before anything is computed whether somebody would read, where the GPU work pool is to.

    Raises:
        PoolUnavailable: when nobody would.
        UsageError: when MEDASSAY_SHARD_TIMEOUT_S is no time, or MEDASSAY_SHARDS no place.
    """
    if reads_on_the_pool(run.settings):
        timeout_s()
        try:
            storage_of(run.home)
        except Exception as error:  # each file system that fsspec knows has errors of its own
            raise UsageError(
                f"MEDASSAY_SHARDS is {os.environ.get('MEDASSAY_SHARDS')!r}, where no pairs can be laid "
                f"({one_line(error)}): "
                f"install what this kind of address needs, give a folder that the worker sees too, {RUN_HERE}"
            ) from None
        check_pool()


def read_on_the_pool(step: Step, rows: Sequence[Row]) -> Readings:
    """Send pairs to the pool in shards, and yield each shard's verdicts as soon as they are there.

    What timed out is cancelled, what is done or given up is deleted from the storage: shards hold the data's text.

    Raises:
        PoolUnavailable: when there is no worker to read them, or no place to lay them.
    """
    check_pool()
    storage = storage_of(step.run.home)
    rows = guarded_pairs(step, storage_elsewhere(step.run), rows)
    asked = pool_reader(step.stage, step.settings)
    described = describe_entailment(asked, on_gpu=True)
    waiting: list[Sent] = []
    try:
        for laid in laid_in_shards(rows, SHARD_PAIRS):
            waiting.append(send(step, storage, asked, described, laid))
        shards = f"{len(waiting)} shard{'' if len(waiting) == 1 else 's'}"
        watcher().say(f"{len(rows)} pairs in {shards} are with the work pool `{POOL}`")
        yield from collected(step.warehouse, storage, content_key(described), waiting)
    finally:
        for sent in waiting:
            withdraw(step.warehouse, storage, sent.shard, sent.flow_run_id)


def collected(
    warehouse: Warehouse, storage: Storage, fingerprint: str, waiting: list[Sent]
) -> Iterator[list[tuple[Row, PairVerdict | Lost]]]:
    """Wait for shards until each is answered, refused, ended or timed out; take them off the list one by one."""
    last_heard = time.monotonic()
    while waiting:
        for sent in list(waiting):
            outcome = outcome_of(storage, fingerprint, sent, time.monotonic() - last_heard)
            if outcome is None:
                continue
            last_heard = time.monotonic()
            for other in waiting:
                # It may have waited for this one's worker.
                other.heard = last_heard
            if isinstance(outcome, Lost):
                yield [(row, outcome) for row in sent.rows]
            else:
                yield [*sent.answers(outcome)]
                note(warehouse, sent.shard, "merged")
            waiting.remove(sent)
            # After the yield: the verdicts are in the warehouse when the shard goes.
            withdraw(warehouse, storage, sent.shard, sent.flow_run_id)
        if waiting:
            time.sleep(POLL_S)


def outcome_of(
    storage: Storage, fingerprint: str, sent: Sent, silent_s: float
) -> dict[str, PairVerdict] | Lost | None:
    """Return a shard's verdicts, why there will be none, or None while it is worth waiting."""
    ended, unread = if_known(lambda: state_of(sent.flow_run_id), None)
    try:
        # Asked after the state: a run that ended had written its verdicts before.
        if (found := read_verdicts(storage, sent.shard, fingerprint=fingerprint, ids=sent.ids)) is not None:
            return found
        unheard_s = sent.silent_s(storage)
    except ShardRefused as refused:
        return Lost(str(refused))
    except Exception as error:  # each file system that fsspec knows has errors of its own
        # Out of reach for now: whoever writes there may still be at work.
        unread, unheard_s = (
            f"{unread} (its verdicts cannot be read: {one_line(error)})",
            time.monotonic() - sent.heard,
        )
    if ended:
        return Lost(f"the work pool `{POOL}` gave no verdict: {ended}{unread}")
    if silent_s > timeout_s():
        return Lost(f"the work pool `{POOL}` gave no verdict within {timeout_s():.0f} s{unread}")
    if unheard_s > SILENCE_S and sent.sign is not None:
        return Lost(
            f"who read this shard for the work pool `{POOL}` has been silent for {unheard_s:.0f} s{unread}"
        )
    if unheard_s > SILENCE_S and not if_known(has_worker, True)[0]:
        return Lost(f"no worker has been on the work pool `{POOL}` for {unheard_s:.0f} s")
    return None


def send(step: Step, storage: Storage, asked: str, described: dict[str, Any], laid: Laid) -> Sent:
    """Put one shard on record, write it, and ask the pool to read it; where that fails, nothing of it stays.

    Its name is its own: another home, or a copy of this one, may ask the same there, and delete what it laid.

    Raises:
        PoolUnavailable: when it cannot be written, or nobody can be asked to read it.
    """
    warehouse, model = step.warehouse, content_key(described)
    ids = ids_digest(pair.pair_id for pair in laid.pairs)
    sender = secrets.token_hex(16)
    shard = shard_name(model, ids, sender)
    record = {
        "shard": shard,
        "fingerprint": warehouse.value("select pinned('entail')"),
        "model": model,
        "ids_digest": ids,
        "storage": storage.url,
        "laid_as": laid.on_record(),
        "state": "sent",
        "laid": True,
        "sent_at": datetime.now(UTC),
    }
    flow_run_id: UUID | None = None
    # On record before the first text lies there: who is killed in between leaves it to the next run to delete.
    warehouse.execute(
        "delete from entail_shard where model = ? and ids_digest = ? and state <> 'sent' and not laid",
        [model, ids],
    )
    warehouse.append("entail_shard", [record])
    try:
        _write(storage, asked, described, laid, sender)
        flow_run_id = ask_to_read(shard, storage.url, len(laid.pairs))
        warehouse.execute(
            "update entail_shard set flow_run_id = ? where shard = ?", [str(flow_run_id), shard]
        )
    except BaseException:
        withdraw(warehouse, storage, shard, flow_run_id)
        raise
    return Sent(shard, laid.rows, flow_run_id, ids, laid.laid_as)


def _write(storage: Storage, asked: str, described: dict[str, Any], laid: Laid, sender: str) -> None:
    try:
        write_request(storage, asked, described, laid.pairs, sender)
    except Exception as error:  # each file system that fsspec knows has errors of its own
        raise PoolUnavailable(
            f"pairs for the work pool `{POOL}` cannot be written to {storage.url} ({one_line(error)}): "
            f"set MEDASSAY_SHARDS to a folder or URL that this machine and the worker can write to, {RUN_HERE}"
        ) from error


def merge_finished(run: RunRef) -> int:
    """Take in what a killed run left with the pool, under the fingerprint it was asked for; return how many pairs.

    A shard that is not finished is withdrawn: its pairs are pending, and will be asked about again. So is one that
    cannot be read, for whatever reason: no run ends for what an earlier one left. What could not be deleted is tried
    again.
    """
    warehouse = run.warehouse
    merged = 0
    for row in warehouse.rows("from entail_shard where state = 'sent' or laid"):
        shard, storage, found = row["shard"], None, None
        try:
            # Where it was laid, which need not be where this run would lay its own.
            storage = Storage(row["storage"]) if row["storage"] else storage_of(run.home)
            if row["state"] == "sent" and (
                found := read_verdicts(storage, shard, fingerprint=row["model"], ids=row["ids_digest"])
            ):
                found = taken_in(found, row["laid_as"])
        except ShardRefused as refused:
            watcher().say(f"{refused}; it is thrown away")
        except Exception as error:  # each file system that fsspec knows has errors of its own
            found = None
            watcher().say(f"the shard {shard} cannot be read ({one_line(error)}); it is thrown away")
        rows = [
            score_row({"premise_key": key[:32], "hypothesis_key": key[32:]}, verdict, row["fingerprint"])
            for key, verdict in (found or {}).items()
            if verdict.entailment is not None
        ]
        merged += warehouse.insert("pair_score", rows)
        if found is not None:
            note(warehouse, shard, "merged")
        withdraw(
            warehouse,
            storage or row["storage"] or "where MEDASSAY_SHARDS says",
            shard,
            UUID(row["flow_run_id"]) if row["flow_run_id"] else None,
        )
    return merged


def withdraw(warehouse: Warehouse, storage: Storage | str, shard: str, flow_run_id: UUID | None) -> None:
    """Delete a shard and cancel whoever may still read it; one that cannot be deleted is named: it holds texts.

    It stays on record as one that may lie there, so that each later run tries again.

    Args:
        warehouse: where its state is kept.
        storage: where it lies; as text, it is out of reach from here.
        shard: its name.
        flow_run_id: who may still read it.
    """
    why = _why_not_deleted(warehouse, storage, shard)
    out_of_reach = isinstance(storage, str)
    if why:
        again = "" if out_of_reach else ", or leave it to the next run, which tries again"
        watcher().say(f"{why}: delete it by hand, it holds texts{again}")
    warehouse.execute(
        "update entail_shard set state = if(state = 'sent', 'withdrawn', state), laid_as = null, laid = ?"
        " where shard = ?",
        [why is not None and not out_of_reach, shard],
    )
    cancel(flow_run_id)


def _why_not_deleted(warehouse: Warehouse, storage: Storage | str, shard: str) -> str | None:
    """Delete a shard; say why it may still lie there, None where it does not."""
    if isinstance(storage, str):
        return f"the shard {shard} lies at {storage}"
    try:
        storage.delete(shard)
    except Exception as error:  # each file system that fsspec knows has errors of its own
        if isinstance(error, StorageGone) and Path(storage.url).is_relative_to(warehouse.path.parent):
            return None  # the home's own folder, which nobody has to mount
        return f"the shard {shard} cannot be deleted from {storage.url} ({one_line(error)})"
    return None


def note(warehouse: Warehouse, shard: str, state: str) -> None:
    """Put a shard's state on record; what it was laid as is of no more use."""
    warehouse.execute("update entail_shard set state = ?, laid_as = null where shard = ?", [state, shard])
