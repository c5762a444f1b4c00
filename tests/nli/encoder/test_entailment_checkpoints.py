import json
import math
import pickle
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from medassay.models.nli import (
    EntailmentUnavailable,
    SelfTestFailed,
    describe_entailment,
    load_entailment,
)
from medassay.models.nli.encoder.checkpoints import files_digest, load_checkpoint
from medassay.models.nli.encoder.embedded import weights_folder
from medassay.models.nli.encoder.scoring import Scorer
from medassay.models.nli.encoder.worker_pool import BatchSizes, WorkerPool
from medassay.models.nli.loading import room_of
from medassay.models.nli.window_verdicts import shift_to_neutral
from medassay.models.records import PairVerdict

SENTENCES = (
    "Aspirin lowered the risk of stroke in adults.",
    "Blood was stored at night.",
    "The trial found no difference in sleep.",
    "Exercise improved sleep in children.",
    "The risk of stroke was raised with 50 mg.",
)
LONG = " ".join(SENTENCES * 3)
CLAIM = "aspirin raised the risk of stroke"


@pytest.fixture(scope="module")
def scorer(checkpoint_folder: Path) -> Scorer:
    return load_checkpoint(str(checkpoint_folder))[0]


def probabilities(verdict: PairVerdict) -> tuple[float, float, float]:
    assert (
        verdict.entailment is not None and verdict.neutral is not None and verdict.contradiction is not None
    )
    return verdict.entailment, verdict.neutral, verdict.contradiction


def test_the_checkpoint_is_read_in_its_own_label_order(checkpoint_folder: Path, scorer: Scorer) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    network = AutoModelForSequenceClassification.from_pretrained(checkpoint_folder).eval()
    encoded = scorer.reader.tokenizer.encode(SENTENCES[0], CLAIM)
    with torch.inference_mode():
        logits = network(
            input_ids=torch.tensor([encoded.ids]), token_type_ids=torch.tensor([encoded.type_ids])
        ).logits
    contradiction, neutral, entailment = torch.softmax(logits[0], 0).tolist()
    assert probabilities(scorer.score([(SENTENCES[0], CLAIM)])[0]) == pytest.approx(
        (entailment, neutral, contradiction), abs=1e-5
    )


def test_verdicts_come_in_the_order_of_the_pairs_whatever_else_is_in_the_call(scorer: Scorer) -> None:
    pairs = [(s, c) for s in (*SENTENCES, LONG, "") for c in (CLAIM, "sleep improved", "")]
    together = scorer.score(pairs)
    assert len(together) == len(pairs)
    alone = [scorer.score([pair])[0] for pair in pairs]
    for one, other in zip(together, alone, strict=True):
        assert replace(one, entailment=None, neutral=None, contradiction=None) == replace(
            other, entailment=None, neutral=None, contradiction=None
        )
        if one.reason is None:
            assert probabilities(one) == pytest.approx(probabilities(other), abs=1e-4)
            assert sum(probabilities(one)) == pytest.approx(1.0, abs=1e-5)
    backwards = scorer.score(pairs[::-1])[::-1]
    assert [v.sentence for v in backwards] == [v.sentence for v in together]


def test_ligatures_and_unseen_signs_change_no_verdict_and_the_sentence_is_that_of_the_passage(
    scorer: Scorer,
) -> None:
    plain = "Blood was stored at night. The trial found no difference in sleep."
    set_in_type = "Blood was\u00a0stored at\u200b night. The trial found no diﬀer\u00ad\nence in sleep."
    claims = ("the trial found no difference in sleep", "the trial found no di\u00adﬀerence in\u202fsleep")
    one, other = (scorer.score([pair])[0] for pair in zip((plain, set_in_type), claims, strict=True))
    assert probabilities(one) == probabilities(other)
    assert one.sentence is not None
    assert other.sentence is not None
    assert plain[one.sentence.start :] == "The trial found no difference in sleep."
    assert set_in_type[other.sentence.start : other.sentence.end] == set_in_type[-40:]


@pytest.fixture
def worker_pool() -> Iterator[WorkerPool]:
    worker_pool = WorkerPool(2, worth_it=2)
    yield worker_pool
    worker_pool.close()


def test_verdicts_are_the_same_where_processes_judge(scorer: Scorer, worker_pool: WorkerPool) -> None:
    pairs = [(f"{s} {other}", CLAIM) for s in SENTENCES for other in SENTENCES] + [("", CLAIM), (LONG, "")]
    together = replace(scorer, pace=BatchSizes(2, 8, 1024), worker_pool=worker_pool)
    here, elsewhere, again = (
        replace(scorer, pace=BatchSizes()).score(pairs),
        together.score(pairs),
        together.score(pairs),
    )
    assert again == elsewhere
    for one, other in zip(here, elsewhere, strict=True):
        assert (one.sentence, one.n_windows, one.reason) == (other.sentence, other.n_windows, other.reason)
        if one.reason is None:
            assert probabilities(one) == pytest.approx(probabilities(other), abs=1e-4)


def test_a_process_that_dies_costs_no_verdict(
    scorer: Scorer, worker_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medassay.models.nli.encoder.worker_pool._BEGIN", "import os; os._exit(1)")
    pairs = [(s, CLAIM) for s in SENTENCES]
    found = replace(scorer, pace=BatchSizes(2, 2), worker_pool=worker_pool).score(pairs)
    assert [v.sentence for v in found] == [v.sentence for v in scorer.score(pairs)]


def test_an_error_here_or_in_a_process_is_not_lost_and_the_next_call_goes_on(
    scorer: Scorer, worker_pool: WorkerPool
) -> None:
    pairs = [(s, CLAIM) for s in SENTENCES]
    good = replace(scorer, pace=BatchSizes(2, 2), worker_pool=worker_pool)
    with pytest.raises(MemoryError, match="no room"):
        replace(good, forward=failing).score(pairs)
    with pytest.raises(TypeError):
        replace(good, rarity=None).score(pairs)  # type: ignore[arg-type]  # a fault that shows in the process
    assert good.score(pairs) == good.score(pairs)


def failing(_: object) -> NoReturn:
    raise MemoryError("no room")


def test_equal_pairs_are_computed_once_and_progress_adds_up(scorer: Scorer) -> None:
    seen: list[int] = []

    def counting(encoded):  # type: ignore[no-untyped-def]
        seen.append(len(encoded))
        return scorer.forward(encoded)

    told: list[int] = []
    verdicts = replace(scorer, forward=counting).score(
        [(SENTENCES[0], CLAIM)] * 5 + [(SENTENCES[1], CLAIM)], told.append
    )
    assert (sum(seen), sum(told), len(set(verdicts[:5]))) == (2, 6, 1)


def test_a_claim_longer_than_its_share_of_the_window_abstains(scorer: Scorer) -> None:
    assert scorer.reading.longest_claim == 22
    assert scorer.score([(SENTENCES[0], "aspirin " * 23)]) == [
        PairVerdict(
            None,
            None,
            None,
            n_windows=0,
            coverage=0.0,
            reason="the claim has 23 tokens and the model reads 22; it is not cut",
        )
    ]


def test_empty_texts_abstain_with_the_reason(scorer: Scorer) -> None:
    assert [v.reason for v in scorer.score([("", CLAIM), (SENTENCES[0], " ")])] == [
        "the passage is empty",
        "the claim is empty",
    ]


def test_a_long_passage_is_read_in_windows_and_names_the_deciding_sentence(scorer: Scorer) -> None:
    verdict = scorer.score([(LONG, CLAIM)])[0]
    assert verdict.sentence is not None
    assert LONG[verdict.sentence.start : verdict.sentence.end] in SENTENCES
    assert 1 <= verdict.n_windows <= scorer.reading.windows
    assert 0.2 < verdict.coverage <= 1.0


def test_caution_moves_odds_to_neutral_with_the_number_of_windows() -> None:
    assert shift_to_neutral((0.6, 0.2, 0.2), 0.0) == pytest.approx((0.6, 0.2, 0.2))
    assert shift_to_neutral((0.6, 0.2, 0.2), 0.5 * math.log(4)) == pytest.approx((0.5, 1 / 3, 1 / 6))


def test_the_fingerprint_names_what_a_verdict_depends_on(checkpoint_folder: Path, scorer: Scorer) -> None:
    from medassay.models.weights.storing import digest_of

    assert scorer.fingerprint == {
        "model": "hf",
        "name": str(checkpoint_folder),
        "weights_sha256": digest_of(checkpoint_folder / "model.safetensors"),
        "read_as": files_digest(str(checkpoint_folder)),
        "labels": "three-way",
        "dtype": "float32",
        "reading": {
            "premise_tokens": 39,
            "longest_claim": 22,
            "windows": 4,
            "caution": 0.3,
            "nearness": 0.0,
            "other_drugs": 0.0,
            "verbatim": 0.0,
        },
        "findings_sha256": digest_of(weights_folder() / "findings.json"),
        "stage_version": 4,
    }


def test_what_a_checkpoint_reads_at_once_is_known_without_loading_its_weights(
    checkpoint_folder: Path,
) -> None:
    assert room_of(describe_entailment(f"hf:{checkpoint_folder}")) == int(39 * 3.8)
    assert room_of(describe_entailment("hf:nobody/has-this")) == int(308 * 3.8)


def test_a_model_that_knows_nothing_is_refused_at_load(checkpoint_folder: Path) -> None:
    with pytest.raises(SelfTestFailed, match=r"on known pairs the probability of \w+ averages"):
        load_entailment(f"hf:{checkpoint_folder}")


def _cut(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def _without_a_layer(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "layer.1.output" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def _a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(print))


def _without_words(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()


def _with_code(folder: Path) -> None:
    named = {"AutoConfig": "own.C", "AutoModelForSequenceClassification": "own.M"}
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "own", "auto_map": named}))
    (folder / "own.py").write_text("raise SystemExit('it was run')")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_cut, "cannot be loaded"),
        (_a_pickle, "cannot be loaded"),
        (
            _without_a_layer,
            r"has no weights for 4 of its parameters, such as bert\.encoder\.layer\.1\.output",
        ),
        (_without_words, "the tokenizer knows no words: its vocabulary is not there"),
        (_with_code, r"cannot be loaded \(The repository .* contains custom code"),
    ],
)
def test_a_checkpoint_that_is_not_whole_or_brings_code_is_refused_in_words(
    checkpoint_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
    why: str,
) -> None:
    def asked(*_: object) -> str:
        pytest.fail("a person was asked whether a checkpoint's code may run")

    monkeypatch.setattr("builtins.input", asked)
    folder = Path(shutil.copytree(checkpoint_folder, tmp_path / "spoilt"))
    spoil(folder)
    with pytest.raises(EntailmentUnavailable, match=why):
        load_checkpoint(str(folder), local_only=True)


def test_other_labels_or_another_tokenizer_in_a_folder_are_another_model(
    checkpoint_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(checkpoint_folder, tmp_path / "changed"))
    described = [describe_entailment(f"hf:{folder}")]
    for file, old, new in (("config.json", "Neutral", "neutral"), ("tokenizer.json", "sleep", "sleeps")):
        written = (folder / file).read_text()
        assert old in written
        (folder / file).write_text(written.replace(old, new))
        described.append(describe_entailment(f"hf:{folder}"))
    assert len({one["read_as"] for one in described}) == 3
    assert len({one["weights"] for one in described}) == 1


@pytest.mark.parametrize("spec", ["embedded", "hf:nobody/has-this"])
def test_what_tells_findings_from_aims_is_part_of_who_answers(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = describe_entailment(spec)
    monkeypatch.setattr("medassay.models.nli.loading.findings_digest", lambda: "other")
    assert describe_entailment(spec) == {**before, "findings_sha256": "other"} != before


def test_a_folder_that_cannot_be_loaded_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(EntailmentUnavailable, match="cannot be loaded"):
        load_entailment(f"hf:{tmp_path}")


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "~/nothing-here"])
def test_a_path_to_no_folder_is_said_to_be_none(name: str) -> None:
    with pytest.raises(
        EntailmentUnavailable, match=f"^entailment model '{name}' is no folder on this machine"
    ):
        load_entailment(f"hf:{name}")


@pytest.mark.parametrize("spec", ["none", "hf:", "http://localhost#model"])
def test_other_specs_are_refused_with_what_to_write(spec: str) -> None:
    with pytest.raises(EntailmentUnavailable) as caught:
        load_entailment(spec)
    assert str(caught.value) == (
        f"{spec!r} names no reader of pairs: use `encoder`, `llm`, `cascade` or `hf:<hub id or folder>`"
    )


def test_verdicts_are_the_same_whoever_works_beside(scorer: Scorer) -> None:
    pairs = [(f"{s} {other}", CLAIM) for s in SENTENCES for other in SENTENCES]
    alone, beside = (replace(scorer, pace=BatchSizes(n)).score(pairs) for n in (1, 3))
    for one, other in zip(alone, beside, strict=True):
        assert (one.sentence, one.n_windows) == (other.sentence, other.n_windows)
        assert probabilities(one) == pytest.approx(probabilities(other), abs=1e-4)
