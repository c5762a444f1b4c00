"""The language-model reader on a tiny random Qwen2 in GGUF, and the rules of the cascade."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from safetensors.torch import load_file

from medassay.flows.cli import main
from medassay.models.nli.cascade import Cascade
from medassay.models.nli.deferred import DeferredReader
from medassay.models.nli.labels import Pair
from medassay.models.nli.language_model.adapter import adapter_in_use, read_adapter, write_adapter
from medassay.models.nli.language_model.linear import Arithmetic, Int8, linear
from medassay.models.nli.language_model.merging import merge
from medassay.models.nli.language_model.prompt import QUESTION, Group, packed, passage_ids, statement_ids
from medassay.models.nli.language_model.reader import TOO_LONG, LanguageModelReader, describe_reader
from medassay.models.processor import multiplies_int8
from medassay.models.records import PairVerdict

RANK = 2


@pytest.fixture(scope="module")
def adapter(shapes: dict[str, tuple[int, int]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    generator = torch.Generator().manual_seed(5)
    factors = {
        name: (
            torch.randn(RANK, inputs, generator=generator) * 0.2,
            torch.randn(out, RANK, generator=generator) * 0.2,
        )
        for name, (out, inputs) in shapes.items()
    }
    path = tmp_path_factory.mktemp("adapter") / "adapter.safetensors"
    write_adapter(factors, path)
    return path


@pytest.fixture(scope="module")
def folder(gguf_file: Path, adapter: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    merged = tmp_path_factory.mktemp("merged") / "reader"
    merge(gguf_file, adapter, merged)
    return merged


@pytest.fixture(scope="module")
def reader(folder: Path) -> LanguageModelReader:
    return LanguageModelReader(folder, arithmetic="float32")


def by_transformers(reader: LanguageModelReader, folder: Path, pair: Pair) -> list[float]:
    """Read one pair by itself with transformers' Qwen2, the whole prompt in one sequence."""
    from safetensors.torch import load_file
    from transformers import Qwen2Config, Qwen2Model

    model = Qwen2Model(Qwen2Config(**json.loads((folder / "config.json").read_text()))).eval()
    model.load_state_dict({k: v.float() for k, v in load_file(folder / "model.safetensors").items()})
    encode = reader.encode
    ids = passage_ids(encode, pair[0]) + statement_ids(encode, pair[1]) + encode(QUESTION)
    with torch.inference_mode():
        state = model(input_ids=torch.tensor([ids])).last_hidden_state[0, -1]
    letters = load_file(folder / "letters.safetensors")["letters"].float()
    shares: list[float] = torch.softmax(state @ letters.T, 0).tolist()
    return shares


PAIRS = [
    ("Aspirin lowers the risk of stroke.", "Aspirin prevents stroke."),
    ("Aspirin lowers the risk of stroke.", "Aspirin raises the risk of stroke, as some say."),
    ("Metformin is well tolerated.", "Aspirin prevents stroke."),
    ("Aspirin lowers the risk of stroke.", "Smoking harms."),
]


def test_packed_reading_equals_reading_alone(reader: LanguageModelReader, folder: Path) -> None:
    verdicts = reader.score(PAIRS)
    for pair, verdict in zip(PAIRS, verdicts, strict=True):
        alone = by_transformers(reader, folder, pair)
        assert [verdict.entailment, verdict.contradiction, verdict.neutral] == pytest.approx(alone, abs=2e-5)


@pytest.mark.parametrize("arithmetic", ["bfloat16", "int8"])
def test_quicker_arithmetic_is_close_to_float32(
    folder: Path, reader: LanguageModelReader, arithmetic: Arithmetic
) -> None:
    if arithmetic == "int8" and not multiplies_int8():
        pytest.skip("torch's products of integers are not exact on this processor")
    quick = LanguageModelReader(folder, arithmetic=arithmetic)
    assert quick.fingerprint["dtype"] == arithmetic
    for coarse, fine in zip(quick.score(PAIRS), reader.score(PAIRS), strict=True):
        assert coarse.entailment == pytest.approx(fine.entailment, abs=0.05)


def test_int8_products_are_close_and_pass_on_what_is_no_number() -> None:
    if not multiplies_int8():
        pytest.skip("torch's products of integers are not exact on this processor")
    generator = torch.Generator().manual_seed(1)
    x, weight = torch.randn(5, 512, generator=generator), torch.randn(600, 512, generator=generator)
    x[3] *= 1000.0  # a token of its own scale
    bias = torch.ones(600)
    exact = torch.nn.functional.linear(x, weight, bias)
    product = linear(weight, bias, "int8")
    assert isinstance(product, Int8)
    error = (product(x) - exact).abs().mean(dim=1) / exact.abs().mean(dim=1)
    assert (error < 0.03).all()
    x[1, 7] = torch.nan
    assert torch.isnan(product(x)).all(dim=1).tolist() == [False, True, False, False, False]
    assert not isinstance(linear(weight.T.contiguous(), None, "int8"), Int8)


def test_merging_adds_the_adapter(gguf_file: Path, adapter: Path, folder: Path) -> None:
    from gguf import GGUFReader
    from safetensors.torch import load_file

    base = next(t for t in GGUFReader(gguf_file).tensors if t.name == "blk.1.ffn_down.weight")
    a, b = read_adapter(adapter)["blk.1.ffn_down"]
    expected = torch.from_numpy(np.array(base.data)) + b @ a
    merged = load_file(folder / "model.safetensors")["layers.1.mlp.down_proj.weight"].float()
    assert torch.allclose(merged, expected, atol=0.02)


def test_an_adapter_in_eight_bits_is_close(tmp_path: Path) -> None:
    a, b = torch.randn(4, 64), torch.randn(32, 4)
    write_adapter({"blk.0.attn_q": (a, b)}, tmp_path / "a.safetensors")
    read_a, read_b = read_adapter(tmp_path / "a.safetensors")["blk.0.attn_q"]
    assert ((read_b @ read_a - b @ a).norm() / (b @ a).norm()).item() < 0.02


def test_equal_pairs_and_progress(reader: LanguageModelReader) -> None:
    told: list[int] = []
    verdicts = reader.score([PAIRS[0], PAIRS[2], PAIRS[0]], told.append)
    assert verdicts[0] == verdicts[2]
    assert sum(told) == 2  # distinct pairs


def test_a_statement_that_is_too_long_abstains(reader: LanguageModelReader) -> None:
    (verdict,) = reader.score([("Aspirin lowers the risk.", "word " * 200)])
    assert (verdict.entailment, verdict.reason) == (None, TOO_LONG)


def test_a_long_passage_is_read_through_its_nearest_sentences(reader: LanguageModelReader) -> None:
    filler = " ".join(f"Sentence number {i} speaks of the weather." for i in range(60))
    text = f"{filler} Aspirin lowers the risk of stroke. {filler}"
    (verdict,) = reader.score([(text, "Aspirin lowers the risk of stroke.")])
    assert verdict.coverage < 0.5
    assert verdict.sentence is not None
    assert text[verdict.sentence.start : verdict.sentence.end] == "Aspirin lowers the risk of stroke."


def test_groups_are_cut_between_statements() -> None:
    group = Group([1] * 10, ([2] * 5, [3] * 5, [4] * 5))
    rows = list(packed([group, Group([5] * 3, ([6] * 2,))], budget=20))
    assert [[(place, piece.n_tokens) for place, piece in row] for row in rows] == [
        [(0, 20)],
        [(0, 15), (1, 5)],
    ]


class Fixed:
    """A reader that gives every pair the verdict of its hypothesis."""

    pairs_at_once = 8

    def __init__(self, verdicts: dict[str, PairVerdict]) -> None:
        self.verdicts, self.fingerprint, self.asked = verdicts, {"reading": {}, "dtype": "float32"}, 0

    def score(self, pairs: Sequence[Pair], on_progress: object = None) -> list[PairVerdict]:
        self.asked += len(pairs)
        return [self.verdicts[hypothesis] for _, hypothesis in pairs]


def test_the_encoder_settles_what_it_is_sure_of() -> None:
    """A contradiction has to be surer than the others."""
    encoder = Fixed(
        {
            "near": PairVerdict(0.1, 0.74, 0.16),
            "turned": PairVerdict(0.08, 0.04, 0.88),
            "said": PairVerdict(0.85, 0.05, 0.1),
            "unrelated": PairVerdict(0.1, 0.75, 0.15),
            "surely turned": PairVerdict(0.05, 0.05, 0.9),
        }
    )
    reader = Fixed({"near": PairVerdict(0.9, 0.05, 0.05), "turned": PairVerdict(0.5, 0.3, 0.2)})
    passage = "p " * 21  # too long to be read the other way round
    verdicts = Cascade(encoder, reader).score([(passage, statement) for statement in encoder.verdicts])
    assert [v.reader for v in verdicts] == ["both", "both", "encoder", "encoder", "encoder"]
    assert [v.entailment for v in verdicts] == pytest.approx([0.66, 0.374, 0.85, 0.1, 0.05])
    assert verdicts[0].neutral == pytest.approx(0.257)
    assert reader.asked == 2


BLEEDS, THINS = "Aspirin increases bleeding.", "Aspirin reduces heart attacks."


@pytest.mark.parametrize(
    ("passage", "one_way", "back", "expected"),
    [
        # shared/cases/public/21_another_fact: what the default reader gave.
        (THINS, 0.84, 0.50, 0.40),
        # A statement turned around reads so both ways.
        (THINS, 0.97, 0.96, 0.94),
        (THINS, 0.97, 0.60, 0.50),
        # Not asked: no contradiction, a passage of several sentences, one that is long.
        (THINS, 0.45, 0.0, 0.45),
        (f"{THINS}\n{THINS}", 0.84, 0.0, 0.84),
        (f"{THINS} " * 6, 0.84, 0.0, 0.84),
    ],
)
def test_a_contradiction_by_a_short_passage_has_to_hold_both_ways(
    passage: str, one_way: float, back: float, expected: float
) -> None:
    def verdict(contradiction: float) -> PairVerdict:
        return PairVerdict(0.01, 0.99 - contradiction, contradiction)

    reader = Fixed({BLEEDS: verdict(one_way), passage: verdict(back)})
    nothing = Fixed({text: PairVerdict(None, None, None) for text in (BLEEDS, passage)})
    (found,) = Cascade(nothing, reader).score([(passage, BLEEDS)])
    assert found.contradiction == pytest.approx(expected, abs=0.005)
    assert found.neutral == pytest.approx(0.99 - expected, abs=0.005)


def test_what_the_encoder_read_before_is_not_read_again() -> None:
    before = PairVerdict(0.2, 0.6, 0.2)
    encoder = Fixed({"new": PairVerdict(0.9, 0.05, 0.05)})
    reader = Fixed({"old": PairVerdict(0.9, 0.05, 0.05)})
    verdicts = Cascade(encoder, reader).score([("p", "old"), ("p", "new")], known={("p", "old"): before})
    assert [(v.reader, v.entailment) for v in verdicts] == [("both", pytest.approx(0.69)), ("encoder", 0.9)]
    assert (encoder.asked, reader.asked) == (1, 1)


def test_the_language_model_is_loaded_when_a_pair_needs_it() -> None:
    loaded: list[Fixed] = []

    def load() -> Fixed:
        loaded.append(Fixed({"open": PairVerdict(0.9, 0.05, 0.05)}))
        return loaded[-1]

    encoder = Fixed({"sure": PairVerdict(0.9, 0.05, 0.05), "open": PairVerdict(0.2, 0.6, 0.2)})
    cascade = Cascade(encoder, DeferredReader({"reading": {}, "dtype": "float32"}, load))
    assert [v.reader for v in cascade.score([("p", "sure")])] == ["encoder"]
    assert loaded == []
    assert [v.reader for v in cascade.score([("p", "open")])] == ["both"]
    assert len(loaded) == 1


def test_the_adapter_leaves_as_a_lora_module(tmp_path: Path) -> None:
    folder = tmp_path / "lora"
    ended = CliRunner().invoke(main, ["models", "adapter", str(folder)])
    assert (ended.exit_code, ended.output) == (0, f"{folder}  (base: Qwen/Qwen2.5-Coder-1.5B-Instruct)\n")
    config = json.loads((folder / "adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"]) == ("LORA", 16, 16)
    assert config["target_modules"] == [
        "down_proj",
        "gate_proj",
        "k_proj",
        "o_proj",
        "q_proj",
        "up_proj",
        "v_proj",
    ]
    held = load_file(folder / "adapter_model.safetensors")
    factors = read_adapter(adapter_in_use())
    a, b = factors["blk.3.attn_q"]
    name = "base_model.model.model.layers.3.self_attn.q_proj.lora_{}.weight"
    assert len(held) == 2 * len(factors) == 2 * 7 * 28
    assert torch.allclose(held[name.format("B")].float() @ held[name.format("A")].float(), b @ a, atol=1e-3)
    again = CliRunner().invoke(main, ["models", "adapter", str(folder)])
    assert (again.exit_code, again.output) == (2, f"{folder} is there already: name a folder that is not\n")


def test_the_packaged_adapter_is_described() -> None:
    described = describe_reader()
    assert described["adapter_sha256"].startswith("4ae3b2173cc4")
