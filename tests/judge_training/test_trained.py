"""A trained judge by its name: served on loopback, one more judge that compares, unlicensed until it is examined."""

from pathlib import Path
from typing import Any

import pytest

from medassay.models.chat.endpoint import SpecError
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.chat.served import endpoint_named, reachable
from medassay.models.judge_training.bases import make_random
from medassay.models.judge_training.presets import PRESETS, RandomModel, preset_named
from medassay.models.judge_training.trained import UNLICENSED, card_of, install, names
from medassay.models.judges.choosing import NoJudge, choose_judge
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge
from medassay.models.settings import Settings, UsageError
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


def test_it_is_asked_to_compare_without_being_told_and_gives_no_marks(
    models_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "random"
    make_random(RandomModel(hidden=16, inner=32, layers=1, heads=2, vocabulary=300), ["Doctor 1"], folder, 1)
    install("random", folder, {"licensed": False})
    found = endpoint_of_judge(Settings("data", judge="trained:random"))
    assert not isinstance(found, str) and found.served_from == models_folder / "trained" / "random"
    marks = choose_judge("trained:random")
    assert isinstance(marks, NoJudge) and "side by side" in marks.reason


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


def test_deepspeeds_files_are_valid_by_loading() -> None:
    deepspeed = pytest.importorskip("deepspeed", reason="deepspeed is not installed")
    for file in sorted((Path(PRESETS["paper"].deepspeed_file or "").parent).glob("*.json")):
        import json

        numbers = {
            "train_batch_size": 16,
            "train_micro_batch_size_per_gpu": 2,
            "gradient_accumulation_steps": 8,
        }
        fields = {name: value for name, value in json.loads(file.read_text()).items() if value != "auto"}
        stage = {k: v for k, v in fields["zero_optimization"].items() if v != "auto"}
        read = deepspeed.DeepSpeedConfig({"zero_optimization": stage, "bf16": {"enabled": True}, **numbers})
        assert read.zero_optimization_stage == (3 if "zero3" in file.name else 2)
