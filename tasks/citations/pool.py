"""Pairs → verdicts on the GPU work pool: shards out, verdicts in, whatever becomes of the workers.

The engine is Prefect's: each shard is one run of the deployment `entail/gpu`. What is believed is only what lies
at the storage and answers exactly what was asked; a run's state only tells when to stop waiting.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from models.entailment.describing import describe_entailment
from models.entailment.shard_files import ShardRefused
from models.entailment.shards import (
    ShardPair,
    ids_digest,
    read_sign_of_life,
    read_verdicts,
    write_request,
)
from models.entailment.storage import Storage
from models.keys import content_key
from models.records import PairVerdict
from models.settings import UsageError
from sql.warehouse import Row, Warehouse
from tasks.citations.pool_server import (
    DEPLOYMENT,
    POOL,
    RUN_HERE,
    PoolUnavailable,
    cancel,
    check_pool,
    has_worker,
    state_of,
)
from tasks.citations.shard_place import reads_on_the_pool, storage_elsewhere, storage_of
from tasks.citations.verdicts import Lost, Readings, score_row
from tasks.phi import guarded_pairs
from tasks.progress import watcher
from tasks.run import RunRef
from tasks.stages import Step

SHARD_PAIRS = 10_000
TIMEOUT_S = 3600.0
POLL_S = 2.0
SILENCE_S = 300.0
"""A reader says how far it is every ten seconds, and a worker is heard of every thirty."""


@dataclass(slots=True)
class Sent:
    """A shard on its way: its pairs, the flow run that reads it, and what was last heard of its reader."""

    shard: str
    rows: Sequence[Row]
    flow_run_id: UUID | None
    ids: str
    sign: bytes | None = None
    heard: float = field(default_factory=time.monotonic)

    def silent_s(self, storage: Storage) -> float:
        """Return for how long nothing has been heard of this shard, in seconds."""
        if (sign := read_sign_of_life(storage, self.shard)) != self.sign:
            self.sign, self.heard = sign, time.monotonic()
        return time.monotonic() - self.heard


def refuse_without_worker(run: RunRef) -> None:
    """Find out before anything is computed whether somebody would read, where the GPU work pool is to.

    Raises:
        PoolUnavailable: when nobody would.
        UsageError: when MEDASSAY_SHARD_TIMEOUT_S is no time.
    """
    if reads_on_the_pool(run.settings):
        timeout_s()
        check_pool()


def timeout_s() -> float:
    """Return how long one shard may take, in seconds: `MEDASSAY_SHARD_TIMEOUT_S`, else an hour.

    Raises:
        UsageError: when it is no time.
    """
    said = os.environ.get("MEDASSAY_SHARD_TIMEOUT_S") or str(TIMEOUT_S)
    with suppress(ValueError):
        if (seconds := float(said)) > 0:
            return seconds
    raise UsageError(f"MEDASSAY_SHARD_TIMEOUT_S is {said!r}: give a number of seconds over 0")


def read_on_the_pool(step: Step, rows: Sequence[Row]) -> Readings:
    """Send pairs to the pool in shards, and yield each shard's verdicts as soon as they are there.

    What timed out is cancelled, what is done or given up is deleted from the storage: shards hold the data's text.

    Raises:
        PoolUnavailable: when there is no worker to read them, or no place to lay them.
    """
    check_pool()
    storage = storage_of(step.run.home)
    rows = guarded_pairs(step, storage_elsewhere(step.run), rows)
    described = describe_entailment(step.settings.entailment, on_gpu=True)
    waiting: list[Sent] = []
    try:
        for start in range(0, len(rows), SHARD_PAIRS):
            waiting.append(send(step, storage, described, rows[start : start + SHARD_PAIRS]))
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
                yield [(row, outcome[row["item_key"]]) for row in sent.rows]
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
    ended, unread = state_of(sent.flow_run_id), ""
    try:
        # Asked after the state: a run that ended had written its verdicts before.
        if (found := read_verdicts(storage, sent.shard, fingerprint=fingerprint, ids=sent.ids)) is not None:
            return found
        unheard_s = sent.silent_s(storage)
    except ShardRefused as refused:
        return Lost(str(refused))
    except OSError as error:
        # Out of reach for now: whoever writes there may still be at work.
        unread, unheard_s = f" (its verdicts cannot be read: {error})", time.monotonic() - sent.heard
    if ended:
        return Lost(f"the work pool `{POOL}` gave no verdict: {ended}{unread}")
    if silent_s > timeout_s():
        return Lost(f"the work pool `{POOL}` gave no verdict within {timeout_s():.0f} s{unread}")
    if unheard_s > SILENCE_S and sent.sign is not None:
        return Lost(
            f"who read this shard for the work pool `{POOL}` has been silent for {unheard_s:.0f} s{unread}"
        )
    if unheard_s > SILENCE_S and not has_worker():
        return Lost(f"no worker has been on the work pool `{POOL}` for {unheard_s:.0f} s")
    return None


def send(step: Step, storage: Storage, described: dict[str, Any], rows: Sequence[Row]) -> Sent:
    """Write one shard, put it on record, and ask the pool to read it.

    Raises:
        PoolUnavailable: when it cannot be written.
    """
    from prefect.deployments import run_deployment

    pairs = [ShardPair(row["item_key"], row["premise"], row["hypothesis"]) for row in rows]
    try:
        shard = write_request(storage, step.settings.entailment, described, pairs)
    except OSError as error:
        raise PoolUnavailable(
            f"pairs for the work pool `{POOL}` cannot be written to {storage.url} ({error}): "
            f"set MEDASSAY_SHARDS to a folder or URL that this machine and the worker can write to, {RUN_HERE}"
        ) from error
    ids = ids_digest(pair.pair_id for pair in pairs)
    record = {
        "shard": shard,
        "fingerprint": step.warehouse.value("select pinned('entail')"),
        "model": content_key(described),
        "ids_digest": ids,
        "storage": storage.url,
        "state": "sent",
        "sent_at": datetime.now(UTC),
    }
    step.warehouse.execute("delete from entail_shard where shard = ?", [shard])
    step.warehouse.append("entail_shard", [record])
    flow_run: Any = run_deployment(
        DEPLOYMENT,
        parameters={"shard": shard, "storage": storage.url},
        flow_run_name=f"entail · {len(rows)} pairs",
        timeout=0,
        as_subflow=False,
    )
    step.warehouse.execute(
        "update entail_shard set flow_run_id = ? where shard = ?", [str(flow_run.id), shard]
    )
    return Sent(shard, rows, flow_run.id, ids)


def merge_finished(run: RunRef) -> int:
    """Take in what a killed run left with the pool, under the fingerprint it was asked for; return how many pairs.

    A shard that is not finished is withdrawn: its pairs are pending, and will be asked about again.
    """
    warehouse = run.warehouse
    left = warehouse.rows("from entail_shard where state = 'sent'")
    if not left:
        return 0
    merged = 0
    for row in left:
        # Where it was laid, which need not be where this run would lay its own.
        storage = Storage(row["storage"]) if row["storage"] else storage_of(run.home)
        try:
            found = read_verdicts(storage, row["shard"], fingerprint=row["model"], ids=row["ids_digest"])
        except (ShardRefused, OSError) as refused:
            watcher().say(f"{refused}; it is thrown away")
            found = None
        rows = [
            score_row({"premise_key": key[:32], "hypothesis_key": key[32:]}, verdict, row["fingerprint"])
            for key, verdict in (found or {}).items()
            if verdict.entailment is not None
        ]
        merged += warehouse.insert("pair_score", rows)
        if found is not None:
            note(warehouse, row["shard"], "merged")
        withdraw(warehouse, storage, row["shard"], UUID(row["flow_run_id"]) if row["flow_run_id"] else None)
    return merged


def withdraw(warehouse: Warehouse, storage: Storage, shard: str, flow_run_id: UUID | None) -> None:
    """Delete a shard and cancel whoever may still read it; one that cannot be deleted is named: it holds texts."""
    try:
        storage.delete(shard)
    except OSError as error:
        watcher().say(
            f"the shard {shard} cannot be deleted from {storage.url} ({error}): delete it by hand, it holds texts"
        )
    warehouse.execute(
        "update entail_shard set state = 'withdrawn' where shard = ? and state = 'sent'", [shard]
    )
    cancel(flow_run_id)


def note(warehouse: Warehouse, shard: str, state: str) -> None:
    """Put a shard's state on record."""
    warehouse.execute("update entail_shard set state = ? where shard = ?", [state, shard])
