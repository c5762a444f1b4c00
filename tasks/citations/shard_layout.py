"""Layout of pairs in shards: texts by key, pairs by the keys of their texts.

Where a text was redacted, a pair lies under another name than ours, and several of ours may have become one.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from medassay.models.entailment.shard_files import ShardPair, Storage
from medassay.models.entailment.shards import read_sign_of_life
from medassay.models.keys import text_key
from medassay.models.records import PairVerdict
from medassay.sql.warehouse import Row


@dataclass(slots=True)
class Sent:
    """A shard on its way: its pairs, the flow run that reads it, and what was last heard of its reader."""

    shard: str
    rows: Sequence[Row]
    flow_run_id: UUID | None
    ids: str
    laid_as: Mapping[str, str] = field(default_factory=dict)
    """Under which name each pair lies; empty where all lie under their own."""
    sign: bytes | None = None
    heard: float = field(default_factory=time.monotonic)

    def silent_s(self, storage: Storage) -> float:
        """Return for how long nothing has been heard of this shard, in seconds."""
        if (sign := read_sign_of_life(storage, self.shard)) != self.sign:
            self.sign, self.heard = sign, time.monotonic()
        return time.monotonic() - self.heard

    def answers(self, found: Mapping[str, PairVerdict]) -> list[tuple[Row, PairVerdict]]:
        """Give each pair the verdict on what was laid down for it."""
        told = told_of(found, self.laid_as)
        return [(row, told[row["item_key"]]) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Laid:
    """What one shard holds: its pairs as they lie there, and the rows that they stand for."""

    pairs: Sequence[ShardPair]
    rows: Sequence[Row]
    laid_as: Mapping[str, str]

    def on_record(self) -> str | None:
        """Return what has to be known to take verdicts in later, as JSON; None where names are our own."""
        return json.dumps(self.laid_as) if self.laid_as else None


def laid_in_shards(rows: Iterable[Row], size: int) -> Iterator[Laid]:
    """Yield the pairs of at most `size` to a shard; rows whose texts became the same go into the same shard."""
    named: dict[str, list[Row]] = {}
    for row in rows:
        named.setdefault(text_key(row["premise"]) + text_key(row["hypothesis"]), []).append(row)
    names = list(named)
    for start in range(0, len(names), size):
        chosen = names[start : start + size]
        laid_as = {row["item_key"]: name for name in chosen for row in named[name]}
        yield Laid(
            [ShardPair(name, named[name][0]["premise"], named[name][0]["hypothesis"]) for name in chosen],
            [row for name in chosen for row in named[name]],
            laid_as if any(ours != name for ours, name in laid_as.items()) else {},
        )


def told_of(found: Mapping[str, PairVerdict], laid_as: Mapping[str, str]) -> dict[str, PairVerdict]:
    """Return verdicts by the names of our pairs; places in a passage that was laid down changed are left out."""
    if not laid_as:
        return dict(found)
    return {
        ours: found[name] if ours[:32] == name[:32] else replace(found[name], sentence=None)
        for ours, name in laid_as.items()
    }


def taken_in(found: Mapping[str, PairVerdict], on_record: str | None) -> dict[str, PairVerdict]:
    """Return the verdicts of a shard that an earlier run left, by the names of our pairs."""
    return told_of(found, json.loads(on_record) if on_record else {})
