"""Shards out, verdicts in: what is lost, late, doubled or foreign does no harm."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from models.entailment.shards import (
    ShardPair,
    ShardRefused,
    ShardRequest,
    ShardWithdrawn,
    check_model,
    ids_digest,
    read_request,
    read_verdicts,
    write_request,
    write_sign_of_life,
    write_verdicts,
)
from models.entailment.storage import Storage
from models.keys import content_key, text_key
from models.records import PairVerdict, Span
from models.settings import Settings, UsageError
from tasks.citations.entail import entail
from tasks.citations.pool import SILENCE_S, Sent, collected, merge_finished, outcome_of
from tasks.citations.verdicts import Lost
from tasks.run import RunRef, started_run

DESCRIBED = {"model": "m", "weights": "1", "dtype": "bfloat16"}
YES = PairVerdict(0.9, 0.08, 0.02, n_windows=2, sentence=Span(3, 9), coverage=0.5)
UNREAD = PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason="the claim is empty")


def pair(premise: str, hypothesis: str) -> ShardPair:
    return ShardPair(text_key(premise) + text_key(hypothesis), premise, hypothesis)


PAIRS = [pair("Passage.", "Claim."), pair("Passage.", "")]
ASKED = {"fingerprint": content_key(DESCRIBED), "ids": ids_digest(p.pair_id for p in PAIRS)}


@pytest.fixture(params=["folder", "memory"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return Storage(str(tmp_path / "shards") if request.param == "folder" else f"memory://{tmp_path.name}")


@pytest.fixture
def shard(storage: Storage) -> str:
    return write_request(storage, "embedded", DESCRIBED, PAIRS)


def answer(storage: Storage, shard: str, verdicts: Sequence[PairVerdict] = (YES, UNREAD)) -> None:
    write_verdicts(storage, read_request(storage, shard), verdicts)


def forge(storage: Storage, shard: str, /, **changed: Any) -> None:
    manifest = json.loads(storage.read(shard, "verdicts.json") or b"{}")
    storage.write(shard, "verdicts.json", json.dumps({**manifest, **changed}).encode())


def test_there_and_back(storage: Storage, shard: str) -> None:
    assert read_request(storage, shard) == ShardRequest(shard, "embedded", DESCRIBED, tuple(PAIRS))
    assert read_verdicts(storage, shard, **ASKED) is None
    answer(storage, shard)
    assert read_verdicts(storage, shard, **ASKED) == {PAIRS[0].pair_id: YES, PAIRS[1].pair_id: UNREAD}
    storage.delete(shard)
    assert not storage.has(shard, "texts.parquet")
    storage.delete(shard)


def test_verdicts_without_their_manifest_are_no_answer(storage: Storage, shard: str) -> None:
    storage.write(shard, "verdicts-1.parquet", b"half of it")
    assert read_verdicts(storage, shard, **ASKED) is None


def test_a_doubled_answer_is_one_answer(storage: Storage, shard: str) -> None:
    answer(storage, shard)
    answer(storage, shard)
    assert read_verdicts(storage, shard, **ASKED) == {PAIRS[0].pair_id: YES, PAIRS[1].pair_id: UNREAD}


def test_a_late_answer_to_a_withdrawn_shard_is_not_written(storage: Storage, shard: str) -> None:
    request = read_request(storage, shard)
    storage.delete(shard)
    with pytest.raises(ShardWithdrawn, match=f"^shard {shard} was withdrawn while it was read$"):
        write_verdicts(storage, request, [YES, UNREAD])
    with pytest.raises(ShardWithdrawn, match="is no longer at"):
        read_request(storage, shard)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda s, n: forge(s, n, fingerprint="another"), "of another shard or another model"),
        (lambda s, n: forge(s, n, shard="another"), "of another shard or another model"),
        (lambda s, n: forge(s, n, sha256="0"), "missing or cut"),
        (lambda s, n: forge(s, n, file="none.parquet"), "missing or cut"),
        (lambda s, n: s.write(n, "verdicts.json", b"{"), "is no JSON object"),
        (
            lambda s, n: (
                s.write(n, "x.parquet", b"no"),
                forge(s, n, file="x.parquet", sha256=hashlib.sha256(b"no").hexdigest()),
            ),
            "cannot be read as Parquet",
        ),
    ],
)
def test_a_foreign_answer_is_refused(
    storage: Storage, shard: str, spoil: Callable[[Storage, str], Any], why: str
) -> None:
    answer(storage, shard)
    spoil(storage, shard)
    with pytest.raises(ShardRefused, match=why):
        read_verdicts(storage, shard, **ASKED)


def test_an_answer_about_other_pairs_is_refused(storage: Storage, shard: str) -> None:
    request = read_request(storage, shard)
    others = ShardRequest(shard, "embedded", DESCRIBED, (PAIRS[0], pair("Other.", "Claim.")))
    write_verdicts(storage, others, [YES, YES])
    with pytest.raises(ShardRefused, match="not of the pairs that were asked about"):
        read_verdicts(storage, shard, **ASKED)
    twice = ShardRequest(shard, "embedded", DESCRIBED, (PAIRS[0], PAIRS[0]))
    write_verdicts(storage, twice, [YES, YES])
    with pytest.raises(ShardRefused, match="not of the pairs that were asked about"):
        read_verdicts(storage, shard, **ASKED)
    write_verdicts(storage, request, [PairVerdict(0.9, 0.9, 0.9), UNREAD])
    with pytest.raises(ShardRefused, match="is no three probabilities"):
        read_verdicts(storage, shard, **ASKED)


def test_a_request_that_was_tampered_with_is_not_read(storage: Storage, shard: str) -> None:
    other = write_request(storage, "embedded", DESCRIBED, [PAIRS[0]])
    storage.write(shard, "pairs.parquet", storage.read(other, "pairs.parquet") or b"")
    with pytest.raises(ShardRefused, match="holds other pairs than its manifest says"):
        read_request(storage, shard)


def test_a_worker_refuses_another_fingerprint_and_says_what_differs(storage: Storage, shard: str) -> None:
    request = read_request(storage, shard)
    check_model(request, dict(DESCRIBED))
    with pytest.raises(ShardRefused, match=r"under another fingerprint \(dtype, weights differ\)"):
        check_model(request, {**DESCRIBED, "dtype": "float32", "weights": "2"})


@pytest.fixture
def run(home: Path) -> Iterator[RunRef]:
    with started_run(home, Settings("d")) as begun:
        yield begun


def left_behind(run: RunRef, storage: Storage) -> str:
    """Send a shard and forget about it, as a run does that is killed."""
    shard = write_request(storage, "embedded", DESCRIBED, PAIRS)
    record = {"shard": shard, "fingerprint": entail.pin(run), "model": ASKED["fingerprint"], "ids_digest": ASKED["ids"]}  # fmt: skip
    run.warehouse.append("entail_shard", [{**record, "state": "sent", "sent_at": "2026-01-01"}])
    return shard


def kept(run: RunRef) -> list[tuple[float, int]]:
    rows = run.warehouse.rows(
        "select entailment, n_windows from pair_score where fingerprint = pinned('entail')"
    )
    return [(row["entailment"], row["n_windows"]) for row in rows]


def states(run: RunRef) -> list[str]:
    return [row["state"] for row in run.warehouse.rows("from entail_shard")]


def test_what_a_killed_run_left_finished_is_merged_once_and_deleted(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    assert [merge_finished(run) for _ in range(2)] == [1, 0]
    assert kept(run) == [(0.9, 2)]
    assert states(run) == ["merged"]
    assert list(Path(run.home, "shards").iterdir()) == []


@pytest.mark.parametrize("foreign", [False, True])
def test_what_is_unfinished_or_foreign_is_withdrawn_and_stays_pending(run: RunRef, foreign: bool) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    if foreign:
        answer(storage, shard)
        forge(storage, shard, fingerprint="another")
    assert merge_finished(run) == 0
    assert (kept(run), states(run)) == ([], ["withdrawn"])
    assert list(Path(run.home, "shards").iterdir()) == []


def test_shards_of_others_are_left_alone(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = write_request(storage, "embedded", DESCRIBED, PAIRS)
    assert merge_finished(run) == 0
    assert storage.has(shard, "manifest.json")


ROWS = [
    {"item_key": p.pair_id, "premise_key": p.pair_id[:32], "hypothesis_key": p.pair_id[32:]} for p in PAIRS
]


def sent(shard: str) -> Sent:
    return Sent(shard, ROWS, None, str(ASKED["ids"]))


def test_a_shard_whose_reader_is_gone_is_lost_with_the_reason(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    waiting = [sent(left_behind(run, storage))]
    (batch,) = collected(run.warehouse, storage, ASKED["fingerprint"], waiting)
    why = Lost("the work pool `gpu` gave no verdict: its flow run was never made")
    assert [outcome for _, outcome in batch] == [why, why]
    assert (waiting, states(run)) == ([], ["withdrawn"])
    assert list(Path(run.home, "shards").iterdir()) == []


@pytest.mark.parametrize(
    ("begun", "worker", "why"),
    [
        (True, True, "who read this shard for the work pool `gpu` has been silent for"),
        (False, False, "no worker has been on the work pool `gpu` for"),
        (False, True, None),
    ],
)
def test_a_reader_that_died_is_not_waited_for(
    run: RunRef, monkeypatch: pytest.MonkeyPatch, begun: bool, worker: bool, why: str | None
) -> None:
    monkeypatch.setattr("tasks.citations.pool.state_of", lambda _: None)
    monkeypatch.setattr("tasks.citations.pool.has_worker", lambda: worker)
    storage = Storage(f"{run.home}/shards")
    shard = sent(left_behind(run, storage))
    if begun:
        write_sign_of_life(storage, shard.shard, 0)
    assert outcome_of(storage, ASKED["fingerprint"], shard, 0.0) is None
    shard.heard -= SILENCE_S + 1
    found = outcome_of(storage, ASKED["fingerprint"], shard, 0.0)
    assert (found.reason.startswith(why) if isinstance(found, Lost) and why else found) is (why and True)


def test_a_slow_reader_is_heard_and_a_withdrawn_one_stops(
    run: RunRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.citations.pool.state_of", lambda _: None)
    storage = Storage(f"{run.home}/shards")
    shard = sent(left_behind(run, storage))
    for n_read in (0, 64, 128):
        write_sign_of_life(storage, shard.shard, n_read)
        shard.heard -= SILENCE_S + 1
        assert outcome_of(storage, ASKED["fingerprint"], shard, 0.0) is None
    storage.delete(shard.shard)
    with pytest.raises(ShardWithdrawn, match="was withdrawn while it was read"):
        write_sign_of_life(storage, shard.shard, 192)


def test_verdicts_that_lie_there_count_whatever_became_of_their_reader(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    ((first, second),) = collected(run.warehouse, storage, ASKED["fingerprint"], [sent(shard)])
    assert (first[1], second[1]) == (YES, UNREAD)
    assert states(run) == ["merged"]
    assert list(Path(run.home, "shards").iterdir()) == []


def test_a_shard_stays_until_its_verdicts_are_kept(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    batches = collected(run.warehouse, storage, ASKED["fingerprint"], [sent(shard)])
    next(batches)
    assert (storage.has(shard, "verdicts.json"), states(run)) == (True, ["sent"])


def test_a_foreign_answer_is_lost_not_believed(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    (batch,) = collected(run.warehouse, storage, "another", [sent(shard)])
    assert {outcome for _, outcome in batch} == {
        Lost(f"shard {shard}: its verdicts are of another shard or another model")
    }


def test_the_gpu_is_a_choice_and_a_wrong_one_is_refused() -> None:
    with pytest.raises(UsageError, match="entail_on is 'tpu': choose one of here, gpu"):
        Settings("d", entail_on="tpu")  # type: ignore[arg-type]  # what a form or a file may hold
