"""Pairs that are read on another machine, as files at a storage URL: texts, pairs and a manifest; verdicts come back.

A shard lies in a folder named by its digest. The manifest is written last on the way there, and the verdicts'
manifest last on the way back, so that what has one is whole. Whoever takes verdicts in accepts them only for
exactly the pairs that were asked about, under exactly the fingerprint that was asked for.
"""

import hashlib
import io
import json
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from models.entailment.storage import Storage
from models.keys import content_key, text_key
from models.records import PairVerdict, Span

MANIFEST, ANSWERED, SIGN_OF_LIFE = "manifest.json", "verdicts.json", "reading.json"
TEXTS, PAIRS = "texts.parquet", "pairs.parquet"
_ROUNDING = 1e-3


class ShardRefused(Exception):
    """A shard that must not be read or taken in; the message names it and says what does not fit."""


class ShardWithdrawn(Exception):
    """A shard whose sender no longer waits for it."""


@dataclass(frozen=True, slots=True)
class ShardPair:
    """A pair under the name that its verdict comes back with."""

    pair_id: str
    premise: str
    hypothesis: str


@dataclass(frozen=True, slots=True)
class ShardRequest:
    """What a shard asks: which model, described down to its weights, and which pairs."""

    shard: str
    asked: str
    described: dict[str, Any]
    pairs: tuple[ShardPair, ...]

    @property
    def fingerprint(self) -> str:
        """Name the model that is asked."""
        return content_key(self.described)


def ids_digest(ids: Iterable[str]) -> str:
    """Name a set of pairs, whatever their order."""
    return content_key(sorted(ids))


def write_request(storage: Storage, asked: str, described: dict[str, Any], pairs: Sequence[ShardPair]) -> str:
    """Write a shard, its manifest last, and return its name."""
    ids = ids_digest(pair.pair_id for pair in pairs)
    fingerprint = content_key(described)
    shard = content_key({"fingerprint": fingerprint, "ids": ids})
    texts = {text_key(text): text for pair in pairs for text in (pair.premise, pair.hypothesis)}
    storage.write(shard, TEXTS, _parquet({"text_key": list(texts), "text": list(texts.values())}))
    columns = {
        "id": [pair.pair_id for pair in pairs],
        "premise_key": [text_key(pair.premise) for pair in pairs],
        "hypothesis_key": [text_key(pair.hypothesis) for pair in pairs],
    }
    storage.write(shard, PAIRS, _parquet(columns))
    manifest = {
        "shard": shard,
        "asked": asked,
        "described": described,
        "fingerprint": fingerprint,
        "n_pairs": len(pairs),
        "ids_digest": ids,
    }
    storage.write(shard, MANIFEST, json.dumps(manifest).encode())
    return shard


def read_request(storage: Storage, shard: str) -> ShardRequest:
    """Read a shard and hold it against its manifest.

    Raises:
        ShardWithdrawn: when there is no manifest.
        ShardRefused: when the files are not what the manifest says.
    """
    manifest = _manifest(storage, shard, MANIFEST)
    if manifest is None:
        raise ShardWithdrawn(f"shard {shard} is no longer at {storage.url}")
    texts = {row["text_key"]: row["text"] for row in _rows(storage, shard, TEXTS)}
    if any(text_key(text) != key for key, text in texts.items()):
        raise ShardRefused(f"shard {shard}: {TEXTS} holds texts under other texts' keys")
    rows = _rows(storage, shard, PAIRS)
    try:
        pairs = tuple(
            ShardPair(row["id"], texts[row["premise_key"]], texts[row["hypothesis_key"]]) for row in rows
        )
    except KeyError as missing:
        raise ShardRefused(f"shard {shard}: {TEXTS} lacks the text {missing}") from None
    if (len(pairs), ids_digest(p.pair_id for p in pairs)) != (manifest["n_pairs"], manifest["ids_digest"]):
        raise ShardRefused(f"shard {shard}: {PAIRS} holds other pairs than its manifest says")
    if content_key(manifest["described"]) != manifest["fingerprint"]:
        raise ShardRefused(f"shard {shard}: its fingerprint is not that of the model it describes")
    return ShardRequest(shard, manifest["asked"], manifest["described"], pairs)


def check_model(request: ShardRequest, here: dict[str, Any]) -> None:
    """Refuse a shard that asks for another model than there is here.

    Raises:
        ShardRefused: naming what differs.
    """
    wanted = request.described
    differing = sorted(k for k in wanted.keys() | here.keys() if wanted.get(k) != here.get(k))
    if differing:
        raise ShardRefused(
            f"shard {request.shard} asks for {request.asked!r} under another fingerprint "
            f"({', '.join(differing)} differ): "
            "bring the checkout and the models of both machines to the same state"
        )


def write_sign_of_life(storage: Storage, shard: str, n_read: int) -> None:
    """Say how far a shard has been read: who waits for it can tell a slow reader from a dead one.

    Raises:
        ShardWithdrawn: when nobody waits for it any more, so that nothing is read for nobody.
    """
    if not storage.has(shard, MANIFEST):
        raise ShardWithdrawn(f"shard {shard} was withdrawn while it was read")
    storage.write(shard, SIGN_OF_LIFE, json.dumps({"n_read": n_read, "at": time.time()}).encode())


def read_sign_of_life(storage: Storage, shard: str) -> bytes | None:
    """Return what a shard's reader said last, None before it said anything; another text is a new sign."""
    return storage.read(shard, SIGN_OF_LIFE)


def write_verdicts(storage: Storage, request: ShardRequest, verdicts: Sequence[PairVerdict]) -> None:
    """Write verdicts under a name of their own, then the manifest that points to them.

    Raises:
        ShardWithdrawn: when nobody waits for them any more.
    """
    columns: dict[str, list[Any]] = {
        "id": [pair.pair_id for pair in request.pairs],
        "entailment": [v.entailment for v in verdicts],
        "neutral": [v.neutral for v in verdicts],
        "contradiction": [v.contradiction for v in verdicts],
        "n_windows": [v.n_windows for v in verdicts],
        "sentence_start": [v.sentence.start if v.sentence else None for v in verdicts],
        "sentence_end": [v.sentence.end if v.sentence else None for v in verdicts],
        "coverage": [v.coverage for v in verdicts],
        "reason": [v.reason for v in verdicts],
    }
    content = _parquet(columns)
    if not storage.has(request.shard, MANIFEST):
        raise ShardWithdrawn(f"shard {request.shard} was withdrawn while it was read")
    name = f"verdicts-{secrets.token_hex(6)}.parquet"
    storage.write(request.shard, name, content)
    answered = {
        "shard": request.shard,
        "fingerprint": request.fingerprint,
        "n_pairs": len(request.pairs),
        "ids_digest": ids_digest(columns["id"]),
        "file": name,
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    storage.write(request.shard, ANSWERED, json.dumps(answered).encode())


def read_verdicts(
    storage: Storage, shard: str, *, fingerprint: str, ids: str
) -> dict[str, PairVerdict] | None:
    """Take in a shard's verdicts, by pair id; None while there are none.

    Args:
        storage: where the shard lies.
        shard: its name.
        fingerprint: the model that was asked.
        ids: digest of the pairs that were asked about.

    Raises:
        ShardRefused: when they are not an answer to exactly this.
    """
    answered = _manifest(storage, shard, ANSWERED)
    if answered is None:
        return None
    if answered.get("shard") != shard or answered.get("fingerprint") != fingerprint:
        raise ShardRefused(f"shard {shard}: its verdicts are of another shard or another model")
    content = storage.read(shard, str(answered.get("file")))
    if content is None or hashlib.sha256(content).hexdigest() != answered.get("sha256"):
        raise ShardRefused(f"shard {shard}: its verdicts are missing or cut")
    rows = _table(content, f"shard {shard}: its verdicts")
    found = [row["id"] for row in rows]
    if len(set(found)) != len(found) or ids_digest(found) != ids:
        raise ShardRefused(f"shard {shard}: its verdicts are not of the pairs that were asked about")
    return {row["id"]: _verdict(shard, row) for row in rows}


def _verdict(shard: str, row: dict[str, Any]) -> PairVerdict:
    shares = [row["entailment"], row["neutral"], row["contradiction"]]
    if None in shares:
        reason = row["reason"] or "the model gave no verdict"
        return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=reason)
    if min(shares) < 0 or abs(sum(shares) - 1) > _ROUNDING:
        raise ShardRefused(f"shard {shard}: the verdict on {row['id']} is no three probabilities: {shares}")
    placed = row["sentence_start"] is not None and row["sentence_end"] is not None
    return PairVerdict(
        entailment=row["entailment"],
        neutral=row["neutral"],
        contradiction=row["contradiction"],
        n_windows=row["n_windows"],
        sentence=Span(row["sentence_start"], row["sentence_end"]) if placed else None,
        coverage=row["coverage"],
    )


def _manifest(storage: Storage, shard: str, name: str) -> dict[str, Any] | None:
    content = storage.read(shard, name)
    if content is None:
        return None
    try:
        manifest: dict[str, Any] = json.loads(content)
        return manifest | {}
    except (ValueError, TypeError):
        raise ShardRefused(f"shard {shard}: {name} is no JSON object") from None


def _rows(storage: Storage, shard: str, name: str) -> list[dict[str, Any]]:
    content = storage.read(shard, name)
    if content is None:
        raise ShardRefused(f"shard {shard}: {name} is missing")
    return _table(content, f"shard {shard}: {name}")


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def _table(content: bytes, what: str) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(content)).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise ShardRefused(f"{what}: cannot be read as Parquet ({error})") from None
    return rows
