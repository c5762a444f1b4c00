"""Training and serving of the embedded model on a tiny base; and the model that is shipped, where its base is here."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.nli import EntailmentUnavailable
from medassay.models.nli.encoder.embedded import BASE, load_embedded, weights_folder
from medassay.models.nli.encoder.scoring import Scorer
from medassay.models.nli.encoder.tokenisation import Reader
from medassay.models.nli.encoder.training import run
from medassay.models.nli.encoder.training.pairs import LabelledPair
from medassay.models.nli.encoder.training.run import train
from medassay.models.records import PairVerdict, Span

SMALL = {"layers": 2, "first_layer": 1, "rank": 4, "head_width": 8}
SETS = ("scifact", "check_covid", "citation_integrity", "clinifact", "evidence_inference")
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
    for name in SETS:
        (folder / "nli" / name).mkdir(parents=True)
        for part in ("train", "dev"):
            with gzip.open(folder / "nli" / name / f"{part}.jsonl.gz", "wt", encoding="utf-8") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.fixture(scope="module")
def trained(base_folder: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained")
    record = train(
        base_folder, [data / "nli"], out, minutes=1, epochs=3, settings=SMALL, without=["written"], say=lambda line: None
    )  # fmt: skip
    assert record["n_pairs"] == dict.fromkeys(SETS, 3)
    assert record["dev_macro_f1"].keys() == set(SETS)
    return out


def test_training_writes_an_adapter_that_serving_loads(base_folder: Path, trained: Path) -> None:
    model = load_embedded(base_folder, trained)
    verdicts = model.score([(PREMISE, "aspirin lowered the risk of stroke"), (PREMISE, "aspirin " * 257)])
    assert verdicts[0].reason is None and verdicts[0].coverage == 1.0
    assert verdicts[1] == PairVerdict(
        None, None, None, n_windows=0, coverage=0.0,
        reason="the claim has 257 tokens and the model reads 256; it is not cut",
    )  # fmt: skip
    config = json.loads((trained / "config.json").read_text("utf-8"))
    assert model.fingerprint["weights_sha256"] == config["sha256"]
    assert config["network"] == SMALL


def test_many_pairs_are_read_by_several_processes_to_the_same_inputs(
    base_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader.from_folder(base_folder)
    pairs = [LabelledPair(PREMISE, f"aspirin {n}", (1.0, 0.0, 0.0), "s", str(n)) for n in range(9)]
    rarity = run.token_rarity(reader, [PREMISE], 60_000)
    one_by_one = run.encode_all(pairs, reader, rarity)
    monkeypatch.setattr(run, "MANY_PAIRS", 2)
    assert run.encode_all(pairs, reader, rarity) == one_by_one
    assert None not in one_by_one


def test_training_goes_on_from_an_adapter(
    base_folder: Path, data: Path, trained: Path, tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    known = load_file(trained / "adapter.safetensors")
    known["head.inner.weight"] += 5
    save_file(known, tmp_path / "known.safetensors")
    train(
        base_folder, [data / "nli"], tmp_path, minutes=1, epochs=1, settings=SMALL, without=["written"],
        start_from=tmp_path / "known.safetensors", say=lambda line: None,
    )  # fmt: skip
    after = load_file(tmp_path / "adapter.safetensors")
    torch.testing.assert_close(after["head.inner.weight"], known["head.inner.weight"], atol=0.1, rtol=0)
    assert torch.equal(after["rarity"], known["rarity"])


def test_targets_are_a_label_a_teachers_word_or_only_not_entailed() -> None:
    import torch

    from medassay.models.nli.encoder.training.loop import losses_of

    sure = torch.tensor([[9.0, 0.0, 0.0]])
    says, doubt, refused = (
        losses_of(sure, [shares], 0.0).item() for shares in ((1.0, 0.0, 0.0), (0.5, 0.5, 0.0), None)
    )
    assert says < 0.001 and 4 < doubt < 5 and 8 < refused < 10
    assert losses_of(-sure, [None], 0.0).item() < 0.001


def test_merged_adapters_say_what_the_adapters_said(base_folder: Path) -> None:
    import torch

    from medassay.models.nli.encoder.encoder import load_encoder
    from medassay.models.nli.encoder.network import Adapted, add_adapters, merge_adapters

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

    from medassay.models.nli.encoder.encoder import load_encoder

    ids = torch.tensor([[0, 7, 8, 9, 11, 12, 2], [0, 10, 12, 2, 1, 1, 1]])
    mask = ids != 1
    with torch.no_grad():
        theirs = AutoModel.from_pretrained(base_folder).eval()(ids, mask.long()).last_hidden_state
        ours = load_encoder(base_folder)(ids, mask)
    assert torch.allclose(ours[mask], theirs[mask], atol=1e-4)


def test_linear_maps_laid_out_once_say_what_they_said(base_folder: Path) -> None:
    import torch

    from medassay.models.nli.encoder.encoder import PackedLinear, load_encoder, pack_linear_maps
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


def test_changed_weights_are_refused(base_folder: Path, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((trained / "config.json").read_bytes())
    (tmp_path / "adapter.safetensors").write_bytes((trained / "adapter.safetensors").read_bytes() + b"\0")
    with pytest.raises(EntailmentUnavailable, match="is not the .* of its config"):
        load_embedded(base_folder, tmp_path)


@pytest.fixture(scope="module")
def shipped() -> Scorer:
    """Return the shipped model, where its base is here."""
    from medassay.models.weights import ModelMissing, ensure

    try:
        return load_embedded(ensure(BASE))
    except ModelMissing:
        pytest.skip(f"{BASE} is not pulled: medassay models pull {BASE}")


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

    config = json.loads((weights_folder() / "config.json").read_text("utf-8"))
    body = (weights_folder() / "adapter.safetensors").read_bytes()
    assert hashlib.sha256(body).hexdigest() == config["sha256"]
    assert len(body) < 25_000_000
