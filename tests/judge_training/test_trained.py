"""A trained judge by its name: served on loopback, one more judge that compares, unlicensed until it is examined."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.chat.local.trained import names
from medassay.models.judge_training.bases import CONTEXT, make_random
from medassay.models.judge_training.presets import (
    DEEPSPEED,
    PRESETS,
    Preset,
    RandomModel,
    preset_named,
    refuse_missing,
)
from medassay.models.judge_training.replies import Speaker, judge_of
from medassay.models.judge_training.stage_requests import preset_of
from medassay.models.judge_training.table import note_of
from medassay.models.judge_training.trained import UNLICENSED, card_of, install
from medassay.models.judge_training.training import arguments_of
from medassay.models.judges.choosing import NoJudge, choose_judge
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge
from medassay.models.keys import content_key
from medassay.models.settings import Settings
from medassay.models.specs import SpecError
from medassay.models.usage import UsageError
from medassay.tasks.stages.listwise import endpoint_of_judge

SAID = "Analyze:\nStep 1: both are alike.\nScore:\nDoctor 1: 4 points.\nDoctor 2: 2 points."
SHOWN = ListwiseInput("q", "What helps?", (("a", "Rest."), ("b", "Nothing.")))


@pytest.fixture
def models_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEDASSAY_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_a_trained_judge_compares_answers_over_its_own_server(models_folder: Path, parrot: Any) -> None:
    install("mine", parrot("parrot", SAID), {"licensed": False, "licence": UNLICENSED})
    endpoint = endpoint_named("trained:mine", "judge")
    assert endpoint.is_ours and endpoint.label.startswith("trained:mine@")
    with reachable(endpoint) as served:
        assert served.is_loopback and served.base_url.startswith("http://127.0.0.1:")
        rankings = ListwiseJudge(served).compare([SHOWN], MemoryLedger())
    assert [ranking.points for ranking in rankings] == [(4, 2), (4, 2)]
    assert names() == ["mine"] and card_of("mine")["licence"] == UNLICENSED


@pytest.fixture
def untrained(models_folder: Path, tmp_path: Path) -> Path:
    """Return the folder of models with a judge `random` of random weights."""
    folder = tmp_path / "random"
    make_random(RandomModel(hidden=16, inner=32, layers=1, heads=2, vocabulary=300), ["Doctor 1"], folder, 1)
    install("random", folder, {"licensed": False})
    return models_folder


def test_it_is_asked_to_compare_without_being_told_and_gives_no_marks(untrained: Path) -> None:
    found = endpoint_of_judge(Settings("data", judge="trained:random"))
    assert not isinstance(found, str) and found.served_from == untrained / "trained" / "random"
    marks = choose_judge("trained:random")
    assert isinstance(marks, NoJudge) and "side by side" in marks.reason


LONG = ListwiseInput("long", "What helps?", (("a", "Rest. " * CONTEXT), ("b", "Nothing.")))
TOO_LONG = "the prompt is longer than the model's context "


@pytest.mark.slow
@pytest.mark.usefixtures("untrained")
def test_a_comparison_longer_than_the_context_abstains_with_that_reason() -> None:
    ledger = MemoryLedger()
    with reachable(endpoint_named("trained:random", "judge")) as served:
        rankings = ListwiseJudge(served).compare([LONG], ledger)
    assert {(one.points, one.status, one.reason) for one in rankings} == {
        (None, "abstained", f"{TOO_LONG}(HTTP 400: it holds 1,024 tokens)")
    }
    assert [call.status for call in ledger.calls] == ["too_long", "too_long"]
    assert note_of(rankings) == f"2 of 2 orders have no points, most because {rankings[0].reason}"


def test_in_one_process_such_a_comparison_abstains_too_and_others_are_read(untrained: Path) -> None:
    done: list[object] = []
    judge = judge_of(Speaker(untrained / "trained" / "random"))
    rankings = judge.compare([LONG, SHOWN], on_done=done.append)
    reasons = [one.reason for one in rankings if one.question_id == "long"]
    assert reasons == [f"{TOO_LONG}(it holds 1,024 tokens)"] * 2
    assert not any(TOO_LONG in (one.reason or "") for one in rankings if one.question_id == "q")
    assert len(done) == len(rankings) == 4


def test_a_name_that_is_none_or_not_here_is_refused_with_the_ones_that_are(models_folder: Path) -> None:
    with pytest.raises(SpecError, match="here are: none"):
        endpoint_named("trained:nobody", "judge")
    with pytest.raises(SpecError, match="is no name"):
        endpoint_named("trained:../elsewhere", "judge")


def test_presets_say_what_they_need() -> None:
    assert preset_named("small", base="x", epochs=1.0).base == "x"
    assert preset_named("paper-lora", base="x", full=True).adapter is None
    with pytest.raises(UsageError, match="no base of its own"):
        preset_named("paper")
    with pytest.raises(UsageError, match="random weights"):
        preset_named("tiny", base="x")
    paper = PRESETS["paper"]
    assert (paper.learning_rate, paper.warmup, paper.epochs, paper.batch * paper.accumulation, paper.max_tokens) == (
        2e-5, 0.03, 5, 16, 2048,
    )  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_that_was_written_down_names_the_same_stage(preset: Preset) -> None:
    read = preset_of(json.loads(json.dumps(asdict(preset))))
    assert read == preset and content_key(read.fingerprint) == content_key(preset.fingerprint)


@pytest.mark.parametrize(("name", "schedule"), [("small", "cosine"), ("paper-lora", "linear")])
def test_trl_takes_the_numbers_of_a_preset_and_truncates_nothing(
    name: str, schedule: str, tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="the extra medassay[train] is not installed")
    arguments = arguments_of(preset_named(name, base="x"), tmp_path, 3)
    assert (arguments.max_length, arguments.packing, arguments.lr_scheduler_type) == (None, False, schedule)
    assert (arguments.get_warmup_steps(1000), arguments.gradient_accumulation_steps) == (30, 8)


@pytest.mark.parametrize(("name", "stage"), [("zero3.json", 3), ("zero2_offload.json", 2)])
def test_deepspeed_takes_its_files_as_the_trainer_fills_them_in(
    name: str, stage: int, tmp_path: Path
) -> None:
    deepspeed = pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

    filled = HfTrainerDeepSpeedConfig(str(DEEPSPEED / name))
    arguments = arguments_of(replace(preset_named("paper", base="x"), deepspeed=None), tmp_path, 3)
    filled.trainer_config_process(arguments)
    model = LlamaForCausalLM(
        LlamaConfig(
            hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, vocab_size=99
        )
    )
    filled.trainer_config_finalize(arguments, model, 1000)
    read = deepspeed.DeepSpeedConfig(filled.config)
    assert (read.zero_optimization_stage, read.train_batch_size, read.gradient_accumulation_steps) == (
        stage,
        16,
        8,
    )


def test_a_preset_whose_packages_are_not_installed_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("medassay.models.judge_training.presets.find_spec", lambda name: None)
    refuse_missing(PRESETS["tiny"])
    with pytest.raises(
        UsageError, match=r"paper needs trl, datasets, deepspeed: pip install 'medassay\[train\]' 'deepspeed'"
    ):
        refuse_missing(PRESETS["paper"])
    with pytest.raises(
        UsageError, match=r"small needs trl, datasets, peft: pip install 'medassay\[train\]'$"
    ):
        refuse_missing(PRESETS["small"])
