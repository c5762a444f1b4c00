"""Shards out, verdicts in: what is lost, late, doubled or foreign does no harm."""

import hashlib
import io
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from medassay.models.chat.endpoint import Endpoint
from medassay.models.entailment.shard_files import MARK, Storage
from medassay.models.entailment.shards import (
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
from medassay.models.entailment.window_verdicts import NO_NUMBER
from medassay.models.keys import content_key, text_key
from medassay.models.records import PairVerdict, Span
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.citations.pool import (
    SILENCE_S,
    collected,
    merge_finished,
    outcome_of,
    read_on_the_pool,
    refuse_without_worker,
    send,
)
from medassay.tasks.citations.pool_server import PoolUnavailable, timeout_s
from medassay.tasks.citations.reading import mark_missing_numbers_lost
from medassay.tasks.citations.shard_layout import Sent, laid_in_shards
from medassay.tasks.citations.verdicts import Lost
from medassay.tasks.phi import guarded_pairs
from medassay.tasks.pipeline import IN_PROCESS
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.entail import entail, store
from medassay.tasks.stages.stage import Step

DESCRIBED = {"model": "m", "weights": "1", "dtype": "bfloat16"}
YES = PairVerdict(0.9, 0.08, 0.02, n_windows=2, sentence=Span(3, 8), coverage=0.5, reader="both")
UNREAD = PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason="the claim is empty")


def pair(premise: str, hypothesis: str) -> ShardPair:
    return ShardPair(text_key(premise) + text_key(hypothesis), premise, hypothesis)


def lying(place: Path) -> list[Path]:
    """List what lies at a storage beside the sign that says so of it."""
    return [found for found in place.iterdir() if found.name != MARK]


PAIRS = [pair("Passage.", "Claim."), pair("Passage.", "")]
ASKED = {"fingerprint": content_key(DESCRIBED), "ids": ids_digest(p.pair_id for p in PAIRS)}


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(str(tmp_path / "shards"))


@pytest.fixture
def shard(storage: Storage) -> str:
    return write_request(storage, "embedded", DESCRIBED, PAIRS)


def answer(storage: Storage, shard: str, verdicts: Sequence[PairVerdict] = (YES, UNREAD)) -> None:
    write_verdicts(storage, read_request(storage, shard), verdicts)


def forge(storage: Storage, shard: str, /, **changed: Any) -> None:
    manifest = json.loads(storage.read(shard, "verdicts.json") or b"{}")
    storage.write(shard, "verdicts.json", json.dumps({**manifest, **changed}).encode())


@pytest.mark.parametrize("memory", [False, True])
def test_there_and_back(tmp_path: Path, memory: bool) -> None:
    storage = Storage(f"memory://{tmp_path.name}" if memory else str(tmp_path / "shards"))
    shard = write_request(storage, "embedded", DESCRIBED, PAIRS)
    assert read_request(storage, shard) == ShardRequest(shard, "embedded", DESCRIBED, tuple(PAIRS))
    assert read_verdicts(storage, shard, **ASKED) is None
    answer(storage, shard)
    assert read_verdicts(storage, shard, **ASKED) == {PAIRS[0].pair_id: YES, PAIRS[1].pair_id: UNREAD}
    storage.delete(shard)
    assert not storage.has(shard, "texts.parquet")
    storage.delete(shard)
    with pytest.raises(ShardWithdrawn, match="is no longer at"):
        read_request(storage, shard)


def test_a_late_answer_to_a_withdrawn_shard_is_not_written(storage: Storage, shard: str) -> None:
    request = read_request(storage, shard)
    storage.delete(shard)
    with pytest.raises(ShardWithdrawn, match=f"^shard {shard} was withdrawn while it was read$"):
        write_verdicts(storage, request, [YES, UNREAD])


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda s, n: forge(s, n, fingerprint="another"), "of another shard or another model"),
        (lambda s, n: forge(s, n, sha256="0"), "missing or cut"),
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
    others = ShardRequest(shard, "embedded", DESCRIBED, (PAIRS[0], pair("Another passage.", "Claim.")))
    write_verdicts(storage, others, [YES, YES])
    with pytest.raises(ShardRefused, match="not of the pairs that were asked about"):
        read_verdicts(storage, shard, **ASKED)
    twice = ShardRequest(shard, "embedded", DESCRIBED, (PAIRS[0], PAIRS[0]))
    write_verdicts(storage, twice, [YES, YES])
    with pytest.raises(ShardRefused, match="not of the pairs that were asked about"):
        read_verdicts(storage, shard, **ASKED)
    write_verdicts(storage, ShardRequest(shard, "embedded", DESCRIBED, request.pairs[:1]), [YES])
    with pytest.raises(ShardRefused, match="are 1 rows and not 2"):
        read_verdicts(storage, shard, **ASKED)
    with pytest.raises(ShardRefused, match="is no three probabilities"):
        write_verdicts(storage, request, [PairVerdict(0.9, 0.9, 0.9), UNREAD])
    with pytest.raises(ShardRefused, match="1 verdicts on 2 pairs"):
        write_verdicts(storage, request, [YES])


def lay(storage: Storage, shard: str, changed: dict[str, Any], /, without: str = "", **manifest: Any) -> None:
    """Answer as a worker of another kind might: the first verdict with these fields, all under a right digest."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    answer(storage, shard)
    first = {
        "id": PAIRS[0].pair_id, "entailment": 0.9, "neutral": 0.08, "contradiction": 0.02, "n_windows": 2,
        "sentence_start": 3, "sentence_end": 8, "coverage": 0.5, "reason": None,
        "reader": "both",
    }  # fmt: skip
    second = dict.fromkeys(first, None) | {"id": PAIRS[1].pair_id, "reason": "the claim is empty"}
    rows = [{k: v for k, v in row.items() if k != without} for row in (first | changed, second)]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    storage.write(shard, "laid.parquet", sink.getvalue())
    digest = hashlib.sha256(sink.getvalue()).hexdigest()
    forge(storage, shard, **{"file": "laid.parquet", "sha256": digest, **manifest})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"entailment": math.nan}, "is no three probabilities"),
        ({"entailment": "high"}, "cannot be read as Parquet"),
        ({"id": None}, "not of the pairs that were asked about"),
        ({"n_windows": 0}, "does not fit its passage"),
        ({"sentence_start": 7, "sentence_end": 3}, "does not fit its passage"),
        ({"sentence_end": 9}, "does not fit its passage"),
        ({"coverage": 1.5}, "does not fit its passage"),
    ],
)
def test_what_no_reader_of_a_pair_could_say_is_refused(
    storage: Storage, shard: str, changed: dict[str, Any], why: str
) -> None:
    lay(storage, shard, changed)
    with pytest.raises(ShardRefused, match=why):
        read_verdicts(storage, shard, **ASKED)


def test_files_of_another_make_are_refused_before_they_are_read(storage: Storage, shard: str) -> None:
    lay(storage, shard, {}, without="coverage")
    with pytest.raises(ShardRefused, match="lack the column coverage"):
        read_verdicts(storage, shard, **ASKED)
    for name in ("../laid.parquet", "", ".", "laid\0.parquet", 3):
        lay(storage, shard, {}, file=name)
        with pytest.raises(ShardRefused, match="names no file of verdicts"):
            read_verdicts(storage, shard, **ASKED)
    lay(storage, shard, {})
    folder = Path(storage.url, shard)
    with (folder / "laid.parquet").open("r+b") as file:
        file.truncate(1 << 33)
    with pytest.raises(ShardRefused, match="laid.parquet has 8589934592 bytes, which is more than"):
        read_verdicts(storage, shard, **ASKED)
    (folder / "laid.parquet").unlink()
    os.mkfifo(folder / "laid.parquet")
    with pytest.raises(ShardRefused, match="laid.parquet is no file"):
        read_verdicts(storage, shard, **ASKED)
    storage.write(shard, "verdicts.json", b"[" * 100_000)
    with pytest.raises(ShardRefused, match="is no JSON object"):
        read_verdicts(storage, shard, **ASKED)


def test_a_request_that_was_tampered_with_is_not_read(storage: Storage, shard: str) -> None:
    other = write_request(storage, "embedded", DESCRIBED, [PAIRS[0]])
    storage.write(shard, "pairs.parquet", storage.read(other, "pairs.parquet") or b"")
    with pytest.raises(ShardRefused, match="holds other pairs than its manifest says"):
        read_request(storage, shard)
    for name in ("manifest.json", "texts.parquet"):
        storage.write(shard, name, storage.read(other, name) or b"")
    with pytest.raises(ShardRefused, match="what lies there is another shard"):
        read_request(storage, shard)
    storage.write(shard, "manifest.json", b'{"asked": "embedded"}')
    with pytest.raises(ShardRefused, match="does not say which model is asked"):
        read_request(storage, shard)


def test_texts_under_another_pairs_name_are_not_read(storage: Storage) -> None:
    named = ShardPair(PAIRS[0].pair_id, "Another passage.", "Claim.")
    shard = write_request(storage, "embedded", DESCRIBED, [named])
    with pytest.raises(ShardRefused, match="holds pairs under other pairs' names"):
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
    run.warehouse.append("entail_shard", [{**record, "state": "sent", "laid": True, "sent_at": "2026-01-01"}])
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
    assert lying(Path(run.home, "shards")) == []


def test_a_run_that_reads_nothing_leaves_no_texts_of_a_killed_one(home: Path) -> None:
    with started_run(home, Settings("d")) as run:
        shard = left_behind(run, Storage(f"{run.home}/shards"))
    with started_run(home, Settings("d", reader="none")) as run:
        IN_PROCESS.run_stage(entail, run)
        assert (states(run), Path(run.home, "shards", shard).exists()) == (["withdrawn"], False)


@pytest.mark.parametrize("foreign", [False, True])
def test_what_is_unfinished_or_foreign_is_withdrawn_and_stays_pending(run: RunRef, foreign: bool) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    if foreign:
        answer(storage, shard)
        forge(storage, shard, fingerprint="another")
    assert merge_finished(run) == 0
    assert (kept(run), states(run)) == ([], ["withdrawn"])
    assert lying(Path(run.home, "shards")) == []


def test_a_pair_without_a_number_is_asked_again_by_the_next_run(home: Path) -> None:
    (row,) = asked_about([("Passage.", "Claim.")])
    no_number = replace(UNREAD, reason=NO_NUMBER)
    waiting = []
    for written_by_now in (False, True, True):
        with started_run(home, Settings("d")) as run:
            step = Step(run, "entail", entail.pin(run), run.warehouse, run.settings)
            run.warehouse.insert("text", [{"text_key": row["item_key"][:32], "text": "Passage."}])
            run.warehouse.insert("text", [{"text_key": row["item_key"][32:], "text": "Claim."}])
            run.warehouse.execute(
                f"create or replace view entail_items as select '{row['item_key']}' as item_key,"
                f" '{row['premise_key']}' as premise_key, '{row['hypothesis_key']}' as hypothesis_key"
            )
            waiting.append(len(step.pending()))
            # Homes of before kept such a pair as one on which the model abstained.
            (came,) = (
                mark_missing_numbers_lost(iter([[(row, no_number)]]))
                if written_by_now
                else ([(row, no_number)],)
            )
            store(step, list(came))
            assert step.failures == ({row["item_key"]: NO_NUMBER} if written_by_now else {})
    assert waiting == [1, 1, 1]


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
    assert lying(Path(run.home, "shards")) == []


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
    monkeypatch.setattr("medassay.tasks.citations.pool.state_of", lambda _: None)
    monkeypatch.setattr("medassay.tasks.citations.pool.has_worker", lambda: worker)
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
    monkeypatch.setattr("medassay.tasks.citations.pool.state_of", lambda _: None)
    storage = Storage(f"{run.home}/shards")
    shard = sent(left_behind(run, storage))
    for n_read in (0, 64, 128):
        write_sign_of_life(storage, shard.shard, n_read)
        shard.heard -= SILENCE_S + 1
        assert outcome_of(storage, ASKED["fingerprint"], shard, 0.0) is None
    storage.delete(shard.shard)
    with pytest.raises(ShardWithdrawn, match="was withdrawn while it was read"):
        write_sign_of_life(storage, shard.shard, 192)


def test_a_storage_out_of_reach_is_waited_for_and_named_at_the_end(
    run: RunRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medassay.tasks.citations.pool.state_of", lambda _: None)
    monkeypatch.setattr("medassay.tasks.citations.pool.has_worker", lambda: True)
    storage = Storage(f"{run.home}/shards")
    waiting = sent(left_behind(run, storage))
    with monkeypatch.context() as broken:
        broken.setattr(Storage, "read", failing)
        assert outcome_of(storage, ASKED["fingerprint"], waiting, 0.0) is None
        lost = outcome_of(storage, ASKED["fingerprint"], waiting, 3601.0)
    assert lost == Lost(
        "the work pool `gpu` gave no verdict within 3600 s (its verdicts cannot be read: not yours to read)"
    )
    answer(storage, waiting.shard)
    assert isinstance(outcome_of(storage, ASKED["fingerprint"], waiting, 3601.0), dict)


def test_a_shard_is_taken_in_from_where_it_was_laid_and_named_where_it_cannot_be_deleted(
    run: RunRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(str(tmp_path / "elsewhere"))
    shard = left_behind(run, storage)
    run.warehouse.execute("update entail_shard set storage = ?", [storage.url])
    answer(storage, shard)
    said: list[str] = []
    monkeypatch.setattr("medassay.tasks.citations.pool.watcher", lambda: SimpleNamespace(say=said.append))
    with monkeypatch.context() as broken:
        broken.setattr(Storage, "delete", failing)
        assert merge_finished(run) == 1
    assert (kept(run), states(run)) == ([(0.9, 2)], ["merged"])
    by_hand = "delete it by hand, it holds texts, or leave it to the next run, which tries again"
    assert said == [f"the shard {shard} cannot be deleted from {storage.url} (not yours to read): {by_hand}"]
    # The next run does, and says nothing more.
    assert (merge_finished(run), lying(tmp_path / "elsewhere"), len(said)) == (0, [], 1)
    assert (kept(run), states(run)) == ([(0.9, 2)], ["merged"])


def test_a_share_that_is_not_mounted_is_not_taken_for_an_empty_one(
    run: RunRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(str(tmp_path / "share"))
    shard = left_behind(run, storage)
    run.warehouse.execute("update entail_shard set storage = ?", [storage.url])
    said: list[str] = []
    monkeypatch.setattr("medassay.tasks.citations.pool.watcher", lambda: SimpleNamespace(say=said.append))
    (tmp_path / "share").rename(tmp_path / "unplugged")
    for empty in (False, True):
        if empty:  # a mount point without its share
            (tmp_path / "share").mkdir()
        merge_finished(run)
        assert states(run) == ["withdrawn"]
        assert (
            f"cannot be deleted from {storage.url} ({storage.url} is not there, or not what it was)"
            in said.pop()
        )
    (tmp_path / "share").rmdir()
    (tmp_path / "unplugged").rename(tmp_path / "share")
    merge_finished(run)
    assert (lying(tmp_path / "share"), said) == ([], [])
    assert not storage.has(shard, "texts.parquet")


def failing(*_: Any) -> Any:
    raise PermissionError("not yours to read")


@pytest.mark.parametrize("said", ["soon", "0", "-1", "nan"])
def test_a_timeout_that_is_no_time_is_refused(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("MEDASSAY_SHARD_TIMEOUT_S", said)
    with pytest.raises(UsageError, match="MEDASSAY_SHARD_TIMEOUT_S is .*: give a number of seconds over 0"):
        timeout_s()


def test_a_shard_stays_until_its_verdicts_are_kept(run: RunRef) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    batches = collected(run.warehouse, storage, ASKED["fingerprint"], [sent(shard)])
    next(batches)
    assert (storage.has(shard, "verdicts.json"), states(run)) == (True, ["sent"])


PLACE = Endpoint("s3://bucket/shards", "shards", known_as="s3://bucket/shards")
NOBODY = "Aspirin lowered the risk of stroke."
TEXTS = [
    (f"Mr. John Miller, john.miller@example.org, took aspirin. {NOBODY}", NOBODY),
    (f"Mr. Adam Carter, adam.carter@example.org, took aspirin. {NOBODY}", NOBODY),
    (NOBODY, "John said in john.miller@example.org that it did."),
    (NOBODY, NOBODY),
]


@pytest.fixture
def step(run: RunRef, monkeypatch: pytest.MonkeyPatch) -> Step:
    """A step that sends, to a pool whose server takes every shard and says nothing of it."""
    for name, answer in {
        "check_pool": lambda: None,
        "ask_to_read": lambda *_: uuid4(),
        "cancel": lambda _: None,
    }.items():
        monkeypatch.setattr(f"medassay.tasks.citations.pool.{name}", answer)
    monkeypatch.setattr("medassay.tasks.citations.pool.state_of", lambda _: None)
    settings = run.settings.but(phi="redact", entail_on="gpu")
    return Step(run, "entail", entail.pin(run), run.warehouse, settings)


def asked_about(texts: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    pairs = [pair(*both) for both in texts]
    return [
        {
            "item_key": p.pair_id, "premise_key": p.pair_id[:32], "hypothesis_key": p.pair_id[32:],
            "premise": p.premise, "hypothesis": p.hypothesis,
        }
        for p in pairs
    ]  # fmt: skip


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_redacted_is_read_and_its_verdicts_are_kept_under_our_own_keys(
    step: Step, killed: bool
) -> None:
    storage = Storage(f"{step.run.home}/shards")
    rows = asked_about(TEXTS)
    leaving = guarded_pairs(step, PLACE, rows)
    assert len({(row["premise"], row["hypothesis"]) for row in leaving}) == 3
    (laid,) = laid_in_shards(leaving, 100)
    waiting = [send(step, storage, "embedded", DESCRIBED, laid)]
    shard = waiting[0].shard
    request = read_request(storage, shard)
    assert "Miller" not in str(request) and "Carter" not in str(request)
    verdicts = [replace(YES, entailment=0.9 - n / 1000, neutral=0.08 + n / 1000) for n in range(3)]
    answer(storage, shard, verdicts)
    said = {p.pair_id: v for p, v in zip(request.pairs, verdicts, strict=True)}
    keys = {row["item_key"]: text_key(row["premise"]) + text_key(row["hypothesis"]) for row in leaving}
    places = dict(zip(keys, (None, None, YES.sentence, YES.sentence), strict=True))
    wanted = {key: replace(said[name], sentence=places[key]) for key, name in keys.items()}
    if killed:
        assert merge_finished(step.run) == 4
        found = step.warehouse.rows("from pair_score")
        assert {
            row["premise_key"] + row["hypothesis_key"]: (row["entailment"], row["sentence_start"])
            for row in found
        } == {key: (v.entailment, v.sentence and v.sentence.start) for key, v in wanted.items()}
    else:
        (batch,) = collected(step.warehouse, storage, request.fingerprint, waiting)
        assert {row["item_key"]: verdict for row, verdict in batch} == wanted
    (record,) = step.warehouse.rows("from entail_shard")
    assert (record["state"], record["laid_as"]) == ("merged", None)
    assert lying(Path(step.run.home, "shards")) == []


def test_what_another_home_lays_at_one_place_is_its_own(
    step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(str(tmp_path / "shards"))
    monkeypatch.setenv("MEDASSAY_SHARDS", storage.url)
    (laid,) = laid_in_shards(asked_about(TEXTS), 100)
    with started_run(tmp_path / "other", Settings("d")) as other_run:
        other = replace(step, run=other_run, warehouse=other_run.warehouse, fingerprint=entail.pin(other_run))
        ours, theirs = (send(one, storage, "embedded", DESCRIBED, laid) for one in (step, other))
        for one in (ours, theirs):
            answer(storage, one.shard, [YES] * len(laid.pairs))
        assert merge_finished(other_run) == len(laid.pairs)
        assert not storage.has(theirs.shard, "manifest.json")
        ((*read,),) = collected(step.warehouse, storage, content_key(DESCRIBED), [ours])
        assert [came for _, came in read] == [YES] * len(laid.rows)
    assert lying(tmp_path / "shards") == []
    close_warehouse(tmp_path / "other")


def not_json(storage: Storage, shard: str, number: str) -> None:
    manifest = (storage.read(shard, "manifest.json") or b"").replace(
        b'"dtype"', f'"x": {number}, "dtype"'.encode()
    )
    storage.write(shard, "manifest.json", manifest)


@pytest.mark.parametrize(
    ("left", "why"),
    [
        ("elsewhere", "Protocol not known: elsewhere"),
        ("not ours", "our own error"),
        ("NaN", "manifest.json is no JSON object"),
    ],
)
def test_a_leftover_that_cannot_be_read_ends_no_run_and_is_named_once(
    run: RunRef, monkeypatch: pytest.MonkeyPatch, left: str, why: str
) -> None:
    storage = Storage(f"{run.home}/shards")
    shard = left_behind(run, storage)
    answer(storage, shard)
    said: list[str] = []
    monkeypatch.setattr("medassay.tasks.citations.pool.watcher", lambda: SimpleNamespace(say=said.append))
    if left == "elsewhere":
        run.warehouse.execute("update entail_shard set storage = 'elsewhere://bucket/x'")
    elif left == "NaN":
        not_json(storage, shard, left)
    with monkeypatch.context() as broken:
        if left == "not ours":
            broken.setattr(Storage, "read", failing_with(RuntimeError("our own error")))
            broken.setattr(Storage, "delete", failing_with(RuntimeError("our own error")))
        assert [merge_finished(run) for _ in range(2)] == [0, 0]
    assert (kept(run), states(run)) == ([], ["withdrawn"])
    assert why in said[0] and said[0].endswith("it is thrown away")
    by_hand = {
        "elsewhere": [f"the shard {shard} lies at elsewhere://bucket/x: delete it by hand, it holds texts"],
        "not ours": 2
        * [
            f"the shard {shard} cannot be deleted from {storage.url} (our own error): "
            "delete it by hand, it holds texts, or leave it to the next run, which tries again"
        ],
    }
    assert said[1:] == by_hand.get(left, [])


def failing_with(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("place", ["elsewhere2://bucket/x", "~nobody-of-this-name/x"])
def test_a_place_that_is_none_is_refused_before_anything_is_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("MEDASSAY_SHARDS", place)
    with (
        started_run(home, Settings("d", entail_on="gpu")) as run,
        pytest.raises(UsageError, match=f"^MEDASSAY_SHARDS is '{place}', where no pairs can be laid"),
    ):
        refuse_without_worker(run)


@pytest.mark.parametrize(
    ("failing_file", "error", "raised"),
    [
        ("manifest.json", RuntimeError("no such bucket"), PoolUnavailable),
        ("manifest.json", KeyboardInterrupt(), KeyboardInterrupt),
        ("", PoolUnavailable("the server is away"), PoolUnavailable),
    ],
)
def test_of_a_shard_that_cannot_be_sent_nothing_stays(
    step: Step,
    monkeypatch: pytest.MonkeyPatch,
    failing_file: str,
    error: BaseException,
    raised: type[Exception],
) -> None:
    written = []

    def write(self: Storage, shard: str, name: str, content: bytes) -> None:
        assert states(step.run) == ["sent"]
        if name == failing_file:
            raise error
        written.append(name)
        as_ever(self, shard, name, content)

    as_ever = Storage.write
    monkeypatch.setattr(Storage, "write", write)
    if not failing_file:
        monkeypatch.setattr("medassay.tasks.citations.pool.ask_to_read", failing_with(error))
    with pytest.raises(raised):
        list(read_on_the_pool(step, asked_about(TEXTS)))
    assert written[0] == "texts.parquet"
    assert states(step.run) == ["withdrawn"]
    assert lying(Path(step.run.home, "shards")) == []


def test_a_server_that_is_away_is_waited_for_and_what_lies_there_is_read(
    step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = failing_with(httpx.ConnectError("All connection attempts failed"))
    for asked in ("state_of", "has_worker"):
        monkeypatch.setattr(f"medassay.tasks.citations.pool.{asked}", away)
    storage = Storage(f"{step.run.home}/shards")
    shard = sent(left_behind(step.run, storage))
    shard.heard -= SILENCE_S + 1
    assert outcome_of(storage, ASKED["fingerprint"], shard, 0.0) is None
    assert outcome_of(storage, ASKED["fingerprint"], shard, 3601.0) == Lost(
        "the work pool `gpu` gave no verdict within 3600 s "
        "(the Prefect server does not say what became of it: All connection attempts failed)"
    )
    answer(storage, shard.shard)
    ((first, second),) = collected(step.warehouse, storage, ASKED["fingerprint"], [shard])
    assert (first[1], second[1]) == (YES, UNREAD)
    assert states(step.run) == ["merged"]


def test_a_server_that_takes_no_runs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from medassay.tasks.citations.pool_server import ask_to_read

    made = SimpleNamespace(id=UUID(int=1))
    monkeypatch.setattr("prefect.deployments.run_deployment", lambda *_, **__: made)
    assert ask_to_read("shard", "memory://x", 1) == UUID(int=1)
    away = failing_with(httpx.ConnectError("All connection attempts failed"))
    monkeypatch.setattr("prefect.deployments.run_deployment", away)
    with pytest.raises(
        PoolUnavailable, match=r"does not answer as it should \(All connection attempts failed\): "
    ):
        ask_to_read("shard", "memory://x", 1)
