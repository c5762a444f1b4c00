"""Training and serving of the embedded model on a tiny base; and the model that is shipped, where its base is here."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.entailment import EntailmentUnavailable
from medassay.models.entailment.embedded import load_embedded, weights_folder
from medassay.models.entailment.loading import EMBEDDED_BASE
from medassay.models.entailment.scoring import Scorer
from medassay.models.entailment.training.run import train
from medassay.models.entailment.training.workers import train_together
from medassay.models.records import PairVerdict, Span
from medassay.models.settings import UsageError

SMALL = {
    "layers": 2,
    "first_layer": 1,
    "rank": 4,
    "head_width": 8,
    "cue_width": 8,
    "readers": 2,
    "reader_width": 3,
    "premise_tokens": 24,
    "longest_claim": 16,
}
PREMISE = "Aspirin lowered the risk of stroke in adults. Blood was stored at night."


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    rows = [
        {
            "premise": PREMISE,
            "hypothesis": "aspirin lowered the risk of stroke",
            "label": "entailment",
            "doc": "1",
        },
        {
            "premise": PREMISE,
            "hypothesis": "aspirin raised the risk of stroke",
            "label": "contradiction",
            "doc": "2",
        },
        {"premise": PREMISE, "hypothesis": "exercise improved sleep", "label": "neutral", "doc": "3"},
    ]
    for name in ("scifact", "check_covid", "citation_integrity", "clinifact", "evidence_inference"):
        (folder / "nli" / name).mkdir(parents=True)
        for part in ("train", "dev"):
            with gzip.open(folder / "nli" / name / f"{part}.jsonl.gz", "wt", encoding="utf-8") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in rows)
    (folder / "corpus").mkdir()
    sentence = "In adults with stroke the trial found that aspirin lowered the risk of stroke"
    abstracts = [
        {
            "id": str(i),
            "title": "Aspirin and stroke",
            "sentences": [f"{sentence} in {n} patients." for n in (10, 20, 30)],
        }
        for i in range(3)
    ]
    (folder / "corpus" / "a.jsonl").write_text("".join(json.dumps(a) + "\n" for a in abstracts), "utf-8")
    return folder


@pytest.fixture(scope="module")
def trained(base_folder: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained")
    told: list[str] = []
    train(
        base_folder, data / "nli", data / "corpus", out,
        minutes=1, epochs=10, n_rule_pairs=12, settings=SMALL, checkpoints=(0.5,), say=told.append,
    )  # fmt: skip
    assert [line.split(":")[0] for line in told if line.startswith("checkpoint")] == [
        "checkpoint at 50%",
        "checkpoint at 100%",
    ]
    return out


def test_training_writes_an_adapter_that_serving_loads(base_folder: Path, trained: Path) -> None:
    model = load_embedded(base_folder, trained)
    verdicts = model.score([(PREMISE, "aspirin lowered the risk of stroke"), (PREMISE, "aspirin " * 17)])
    assert verdicts[0].reason is None and verdicts[0].coverage == 1.0
    assert verdicts[1] == PairVerdict(
        None, None, None, n_windows=0, coverage=0.0,
        reason="the claim has 17 tokens and the model reads 16; it is not cut",
    )  # fmt: skip
    config = json.loads((trained / "config.json").read_text("utf-8"))
    assert model.fingerprint["weights_sha256"] == config["sha256"]
    assert config["network"] == {
        "layers": 2, "rank": 4, "first_layer": 1, "head_width": 8, "cue_width": 6, "n_cues": 112,
    }  # fmt: skip


def test_only_what_was_trained_is_stored(trained: Path) -> None:
    from safetensors.torch import load_file

    names = {name.split(".")[0] for name in load_file(trained / "adapter.safetensors")}
    assert names == {"cues", "encoder", "head", "rarity"}
    stored = {n for n in load_file(trained / "adapter.safetensors") if n.startswith("encoder.")}
    assert stored == {
        f"encoder.layers.1.{m}.{side}" for m in ("qkv", "out", "up", "down") for side in ("up", "down")
    }


def test_training_goes_on_from_an_adapter_and_ends_at_the_mean_of_its_late_checkpoints(
    base_folder: Path, data: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    from medassay.models.entailment.training import run

    known = load_file(trained / "adapter.safetensors")
    known["head.inner.weight"] += 5
    save_file(known, tmp_path / "known.safetensors")
    written: list[dict[str, torch.Tensor]] = []
    monkeypatch.setattr(run, "write_model", lambda out, state, *rest, **more: written.append(
        {name: value.clone() for name, value in state.items()}
    ))  # fmt: skip
    run.train(
        base_folder, data / "nli", data / "corpus", tmp_path,
        minutes=1, epochs=10, n_rule_pairs=12, settings=SMALL, checkpoints=(0.01, 0.6, 0.8),
        start_from=tmp_path / "known.safetensors", say=lambda line: None,
    )  # fmt: skip
    early, first, second, last = (state["head.inner.weight"] for state in written)
    torch.testing.assert_close(last, (first + second) / 2)
    torch.testing.assert_close(early, known["head.inner.weight"].float(), atol=0.1, rtol=0)


def test_of_known_weights_a_share_is_kept(base_folder: Path, trained: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from medassay.models.entailment.encoder import load_encoder
    from medassay.models.entailment.network import EntailmentNetwork, add_adapters, trained_state
    from medassay.models.entailment.training.loop import Schedule, Trainer

    known = {n: v.float() + 1 for n, v in load_file(trained / "adapter.safetensors").items()}
    encoder = load_encoder(base_folder, 2)
    add_adapters(encoder, 4, 1)
    network = EntailmentNetwork(encoder, 8, 8)
    Trainer(network, 1, Schedule(1, 1), print).begin_at(
        {n: v for n, v in known.items() if not n.startswith("cues.")}, kept=0.25
    )
    begun = trained_state(network)
    for name in ("head.last.weight", "encoder.layers.1.qkv.up"):
        torch.testing.assert_close(begun[name], known[name] / 4)
    for name in ("head.inner.weight", "encoder.layers.1.qkv.down"):
        torch.testing.assert_close(begun[name], known[name])


def test_two_workers_train_one_model_and_only_the_first_speaks(
    base_folder: Path, data: Path, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    record = train_together(
        2, base_folder, data / "nli", data / "corpus", tmp_path / "out",
        minutes=1, epochs=2, n_rule_pairs=12, settings=SMALL, checkpoints=(0.6,), say=said.write_text,
    )  # fmt: skip
    assert said.read_text().startswith("checkpoint at 100%")
    assert record["dev_macro_f1"].keys() == {
        "scifact", "check_covid", "citation_integrity", "clinifact", "evidence_inference",
    }  # fmt: skip
    verdict = load_embedded(base_folder, tmp_path / "out").score([(PREMISE, "aspirin raised the risk")])[0]
    assert verdict.entailment is not None


def test_what_workers_cannot_use_is_said_as_one_alone_says_it(
    base_folder: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no labelled pairs; a folder with train"):
        train_together(
            2, base_folder, tmp_path, data / "corpus", tmp_path / "out", settings=SMALL, say=tmp_path.joinpath
        )


def test_merged_adapters_say_what_the_adapters_said(base_folder: Path) -> None:
    import torch

    from medassay.models.entailment.encoder import load_encoder
    from medassay.models.entailment.network import Adapted, add_adapters, merge_adapters

    torch.manual_seed(1)
    encoder = load_encoder(base_folder)
    add_adapters(encoder, 4, 1)
    for module in encoder.modules():
        if isinstance(module, Adapted):
            torch.nn.init.normal_(module.up, std=0.2)
    ids = torch.tensor([[0, 7, 8, 9, 2], [0, 10, 2, 1, 1]])
    mask = ids != 1
    before = encoder(ids, mask)
    merge_adapters(encoder)
    assert not any(isinstance(module, Adapted) for module in encoder.modules())
    assert torch.allclose(before[mask], encoder(ids, mask)[mask], atol=1e-4)


def test_the_encoder_computes_what_transformers_computes(base_folder: Path, checkpoint_folder: Path) -> None:
    import torch
    from transformers import AutoModel

    from medassay.models.entailment.encoder import load_encoder

    ids = torch.tensor([[0, 7, 8, 9, 11, 12, 2], [0, 10, 12, 2, 1, 1, 1]])
    mask = ids != 1
    with torch.no_grad():
        theirs = AutoModel.from_pretrained(base_folder).eval()(ids, mask.long()).last_hidden_state
        ours = load_encoder(base_folder)(ids, mask)
    assert torch.allclose(ours[mask], theirs[mask], atol=1e-4)


def test_linear_maps_laid_out_once_say_what_they_said(base_folder: Path) -> None:
    import torch

    from medassay.models.entailment.encoder import load_encoder
    from medassay.models.entailment.linear_maps import PackedLinear, pack_linear_maps
    from medassay.models.processor import lays_out_bfloat16

    ids = torch.tensor([[0, 7, 8, 9, 11, 12, 2], [0, 10, 12, 2, 1, 1, 1]])
    mask = ids != 1
    encoder = load_encoder(base_folder).bfloat16()
    with torch.inference_mode():
        before = encoder(ids, mask)
        pack_linear_maps(encoder)
        after = encoder(ids, mask)
    kinds = {type(layer.up) for layer in encoder.layers}
    assert kinds == {PackedLinear if lays_out_bfloat16() else torch.nn.Linear}
    assert torch.allclose(before[mask], after[mask], atol=0.02)


def test_single_precision_maps_are_left_as_they_are(base_folder: Path) -> None:
    import torch

    from medassay.models.entailment.encoder import load_encoder
    from medassay.models.entailment.linear_maps import pack_linear_maps

    encoder = load_encoder(base_folder)
    pack_linear_maps(encoder)
    assert {type(layer.up) for layer in encoder.layers} == {torch.nn.Linear}


def test_changed_weights_are_refused(base_folder: Path, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((trained / "config.json").read_bytes())
    (tmp_path / "adapter.safetensors").write_bytes((trained / "adapter.safetensors").read_bytes() + b"\0")
    with pytest.raises(EntailmentUnavailable, match="is not the .* of its config"):
        load_embedded(base_folder, tmp_path)


@pytest.fixture(scope="module")
def shipped() -> Scorer:
    """Return the shipped model, where its base is here."""
    from medassay.models.registry import ModelMissing, ensure

    try:
        return load_embedded(ensure(EMBEDDED_BASE))
    except ModelMissing:
        pytest.skip(f"{EMBEDDED_BASE} is not pulled: medassay models pull {EMBEDDED_BASE}")


def test_the_shipped_model_knows_plain_answers(shipped: Scorer) -> None:
    lowered, raised, other = shipped.score(
        [
            ("Metformin lowers blood glucose in people with type 2 diabetes.", hypothesis)
            for hypothesis in (
                "In people with type 2 diabetes, metformin lowers glucose in the blood.",
                "Metformin raises blood glucose in people with type 2 diabetes.",
                "The hospital was built in 1950.",
            )
        ]
    )
    assert [
        max(("entailment", "neutral", "contradiction"), key=lambda n: getattr(v, n))
        for v in (lowered, raised, other)
    ] == [
        "entailment",
        "contradiction",
        "neutral",
    ]


def test_the_shipped_model_takes_no_drug_for_another(shipped: Scorer) -> None:
    passage = "Atorvastatin reduced LDL cholesterol by 40% compared with placebo (P < 0.001)."
    same, other = shipped.score(
        [(passage, "Atorvastatin lowers LDL cholesterol."), (passage, "Ezetimibe lowers LDL cholesterol.")]
    )
    assert same.entailment > 0.5
    assert other.neutral > max(other.entailment, other.contradiction)


def test_the_shipped_model_knows_a_copied_sentence(shipped: Scorer) -> None:
    rule = "SSRIs must not be combined with MAO inhibitors."
    passage = (
        f"SSRIs are taken daily. Combinations to avoid: {rule} Sleep may be disturbed in the first weeks."
    )
    same, turned = shipped.score([(passage, rule), (passage, "SSRIs must be combined with MAO inhibitors.")])
    assert same.entailment > 0.9 and same.sentence is not None
    assert rule in passage[same.sentence.start : same.sentence.end]
    assert turned.entailment < 0.5


def test_of_sentences_in_like_words_the_one_that_says_what_was_decided_is_shown(shipped: Scorer) -> None:
    aside = "Insulin commonly causes nausea and dizziness."
    claim = "Nausea and dizziness are commonly caused by insulin."
    against = "Insulin did not cause nausea or dizziness in that registry."
    verdict = shipped.score([(f"{aside} {against}", claim)])[0]
    assert verdict.contradiction > verdict.entailment
    assert verdict.sentence == Span(46, 46 + len(against))


def test_the_shipped_weights_are_small_and_are_those_of_their_config() -> None:
    import hashlib

    folder = weights_folder()
    config = json.loads((folder / "config.json").read_text("utf-8"))
    body = (folder / "adapter.safetensors").read_bytes()
    assert hashlib.sha256(body).hexdigest() == config["sha256"]
    assert len(body) < 25_000_000
