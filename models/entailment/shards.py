"""Shards for reading on another machine: texts, pairs and manifest out, verdicts back.

A shard lies in a folder named by its digest. The manifest is written last on the way there, and the verdicts'
manifest last on the way back, so that what has one is whole. Whoever takes verdicts in accepts them only for
exactly the pairs that were asked about, under exactly the fingerprint that was asked for.
"""

import hashlib
import json
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from medassay.models.entailment.shard_files import (
    LONGEST_MANIFEST,
    ShardPair,
    ShardRefused,
    Storage,
    from_parquet,
    read_file,
    read_manifest,
    refuse_impossible,
    to_parquet,
    verdict_in,
)
from medassay.models.keys import content_key, text_key
from medassay.models.records import PairVerdict

MANIFEST, ANSWERED, SIGN_OF_LIFE = "manifest.json", "verdicts.json", "reading.json"
TEXTS, PAIRS = "texts.parquet", "pairs.parquet"
_VERDICT = (
    "id", "entailment", "neutral", "contradiction", "n_windows", "sentence_start", "sentence_end", "coverage", "reason",
    "reader",
)  # fmt: skip
_FILE = re.compile(r"[\w-]{1,80}\.parquet", re.ASCII)
_BYTES_A_VERDICT = 4096
"""No verdict takes more, its reason included."""


class ShardWithdrawn(Exception):
    """A shard whose sender no longer waits for it."""


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


def shard_name(fingerprint: str, ids: str, sender: str = "") -> str:
    """Name the shard in which a sender asks this model about these pairs; known before anything is written.

    Several may ask the same at one storage, and each deletes its own.
    """
    by = {"sender": sender} if sender else {}
    return content_key({"fingerprint": fingerprint, "ids": ids, **by})


def write_request(
    storage: Storage, asked: str, described: dict[str, Any], pairs: Sequence[ShardPair], sender: str = ""
) -> str:
    """Write a shard, its manifest last, and return its name."""
    ids = ids_digest(pair.pair_id for pair in pairs)
    fingerprint = content_key(described)
    shard = shard_name(fingerprint, ids, sender)
    texts = {text_key(text): text for pair in pairs for text in (pair.premise, pair.hypothesis)}
    storage.write(shard, TEXTS, to_parquet({"text_key": list(texts), "text": list(texts.values())}))
    columns = {
        "id": [pair.pair_id for pair in pairs],
        "premise_key": [text_key(pair.premise) for pair in pairs],
        "hypothesis_key": [text_key(pair.hypothesis) for pair in pairs],
    }
    storage.write(shard, PAIRS, to_parquet(columns))
    manifest = {
        "shard": shard,
        "asked": asked,
        "described": described,
        "fingerprint": fingerprint,
        "n_pairs": len(pairs),
        "ids_digest": ids,
        "sender": sender,
    }
    storage.write(shard, MANIFEST, json.dumps(manifest).encode())
    return shard


def read_request(storage: Storage, shard: str) -> ShardRequest:
    """Read a shard and hold it against its manifest.

    Raises:
        ShardWithdrawn: when there is no manifest.
        ShardRefused: when the files are not what the manifest says.
    """
    manifest = read_manifest(storage, shard, MANIFEST)
    if manifest is None:
        raise ShardWithdrawn(f"shard {shard} is no longer at {storage.url}")
    asked, described = manifest.get("asked"), manifest.get("described")
    if not isinstance(asked, str) or not isinstance(described, dict):
        raise ShardRefused(f"shard {shard}: {MANIFEST} does not say which model is asked")
    rows = _rows(storage, shard, TEXTS, ("text_key", "text"))
    texts: dict[str, str] = {row["text_key"]: row["text"] for row in rows}
    if any(text is None or text_key(text) != key for key, text in texts.items()):
        raise ShardRefused(f"shard {shard}: {TEXTS} holds texts under other texts' keys")
    rows = _rows(storage, shard, PAIRS, ("id", "premise_key", "hypothesis_key"))
    try:
        pairs = tuple(
            ShardPair(row["id"], texts[row["premise_key"]], texts[row["hypothesis_key"]]) for row in rows
        )
    except KeyError as missing:
        raise ShardRefused(f"shard {shard}: {TEXTS} lacks the text {missing}") from None
    if any(row["id"] != row["premise_key"] + row["hypothesis_key"] for row in rows):
        raise ShardRefused(f"shard {shard}: {PAIRS} holds pairs under other pairs' names")
    ids = ids_digest(pair.pair_id for pair in pairs)
    if (len(pairs), ids) != (manifest.get("n_pairs"), manifest.get("ids_digest")):
        raise ShardRefused(f"shard {shard}: {PAIRS} holds other pairs than its manifest says")
    fingerprint = content_key(described)
    if fingerprint != manifest.get("fingerprint"):
        raise ShardRefused(f"shard {shard}: its fingerprint is not that of the model it describes")
    sender = manifest.get("sender", "")
    if not isinstance(sender, str) or shard != shard_name(fingerprint, ids, sender):
        raise ShardRefused(f"shard {shard}: what lies there is another shard")
    return ShardRequest(shard, asked, described, pairs)


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
    withdrawn = ShardWithdrawn(f"shard {shard} was withdrawn while it was read")
    if not storage.has(shard, MANIFEST):
        raise withdrawn
    storage.write(shard, SIGN_OF_LIFE, json.dumps({"n_read": n_read, "at": time.time()}).encode())
    if not storage.has(
        shard, MANIFEST
    ):  # its sender deleted it meanwhile, and must find nothing more to delete
        storage.delete(shard)
        raise withdrawn


def read_sign_of_life(storage: Storage, shard: str) -> bytes | None:
    """Return what a shard's reader said last, None before it said anything; another text is a new sign.

    Raises:
        ShardRefused: when what lies in its place is no such file.
    """
    return read_file(storage, shard, SIGN_OF_LIFE, LONGEST_MANIFEST)


def write_verdicts(storage: Storage, request: ShardRequest, verdicts: Sequence[PairVerdict]) -> None:
    """Write verdicts under a name of their own, then the manifest that points to them.

    Raises:
        ShardWithdrawn: when nobody waits for them any more.
        ShardRefused: when they are no verdicts on these pairs, such as a probability that is no number.
    """
    if len(verdicts) != len(request.pairs):
        raise ShardRefused(f"shard {request.shard}: {len(verdicts)} verdicts on {len(request.pairs)} pairs")
    for pair, verdict in zip(request.pairs, verdicts, strict=True):
        refuse_impossible(request.shard, pair, verdict)
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
        "reader": [v.reader for v in verdicts],
    }
    content = to_parquet(columns)
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
    answered = read_manifest(storage, shard, ANSWERED)
    if answered is None:
        return None
    if answered.get("shard") != shard or answered.get("fingerprint") != fingerprint:
        raise ShardRefused(f"shard {shard}: its verdicts are of another shard or another model")
    try:
        pairs = {pair.pair_id: pair for pair in read_request(storage, shard).pairs}
    except ShardWithdrawn:
        raise ShardRefused(f"shard {shard}: nothing says which pairs its verdicts are of") from None
    file = answered.get("file")
    if not isinstance(file, str) or not _FILE.fullmatch(file):
        raise ShardRefused(f"shard {shard}: {ANSWERED} names no file of verdicts")
    content = read_file(storage, shard, file, (len(pairs) + 16) * _BYTES_A_VERDICT)
    if content is None or hashlib.sha256(content).hexdigest() != answered.get("sha256"):
        raise ShardRefused(f"shard {shard}: its verdicts are missing or cut")
    rows = from_parquet(content, f"shard {shard}: its verdicts", _VERDICT, len(pairs))
    if ids_digest(pairs) != ids or {row["id"] for row in rows} != pairs.keys():
        raise ShardRefused(f"shard {shard}: its verdicts are not of the pairs that were asked about")
    verdicts = {row["id"]: verdict_in(row) for row in rows}
    for pair_id, verdict in verdicts.items():
        refuse_impossible(shard, pairs[pair_id], verdict)
    return verdicts


def _rows(storage: Storage, shard: str, name: str, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    content = read_file(storage, shard, name)
    if content is None:
        raise ShardRefused(f"shard {shard}: {name} is missing")
    return from_parquet(content, f"shard {shard}: the rows of {name}", columns, None)
