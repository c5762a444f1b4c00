"""The benchmark of a judge of MEDIQA's relevance, on a tiny random Qwen2 and answers written here."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.mediqa_judge import main
from tests.rows import write_rows

N_QUESTIONS = 7
LONG = ("--minutes", "60", "--epochs", "2")
TABLE = [
    "trained judge",
    "trained judge, ties cut off",
    "trained judge, most probable letter",
    "the base, untrained",
    "the base, untrained, ties cut off",
    "same order of systems",
    "same order of systems, ties cut off",
    "all tied",
    "random points",
    "longer answer",
    "longer answer, ties cut off",
    "ridge on cosine, length, place",
    "ridge on cosine, length, place, ties cut off",
    "ridge on cosine, length, place, system",
    "ridge on cosine, length, place, system, ties cut off",
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import Qwen2Config, Qwen2ForCausalLM

    folder = tmp_path_factory.mktemp("qwen2")
    letters = ["ĠA", "ĠB", "ĠC", "ĠD"]
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *letters]
    torch.manual_seed(4)
    config = Qwen2Config(
        vocab_size=len(tokens), hidden_size=32, num_hidden_layers=2, intermediate_size=48, num_attention_heads=4,
        num_key_value_heads=2, initializer_range=0.3, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    Qwen2ForCausalLM(config).save_pretrained(folder)
    merges = [("Ġ", letter[1]) for letter in letters]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def rows() -> list[dict[str, Any]]:
    """Return questions of three or four answers; the last two ask the same."""
    return [
        {
            "question_id": f"q{number}",
            "question": f"What is sign {min(number, N_QUESTIONS - 1)}?",
            "system": f"rank{rank}",
            "answer": f"Answer {rank} to {number}. " + "More of it. " * score,
            "score": score,
        }
        for number in range(1, N_QUESTIONS + 1)
        for rank, score in enumerate((1, 3, 4, 2)[: 3 + number % 2], 1)
    ]


def scores(tmp_path: Path, base: Path, answers: list[dict[str, Any]], *options: str) -> dict[str, Any]:
    file = write_rows(tmp_path / "answers_dev.jsonl.gz", answers)
    main([str(file), str(tmp_path / "out"), "--base", str(base), "--folds", "3", *options])
    told: dict[str, Any] = json.loads((tmp_path / "out" / "scores.json").read_text("utf-8"))
    return told


def folds_of(told: dict[str, Any]) -> dict[str, int]:
    return {one["question_id"]: one["fold"] for one in told["answers"]}


def test_no_answer_is_scored_by_a_model_that_has_seen_its_question(tmp_path: Path, base: Path) -> None:
    answers = rows()
    told = scores(tmp_path, base, answers, *LONG)
    folds = folds_of(told)
    assert [one["question_id"] for one in told["answers"]] == [row["question_id"] for row in answers]
    assert (set(folds.values()), folds["q6"] == folds["q7"]) == ({0, 1, 2}, True)
    assert [one["epochs"] for one in told["courses"]] == [2.0] * 3
    table = json.loads((tmp_path / "out" / "table.json").read_text("utf-8"))
    assert [row["judge"] for row in table] == TABLE

    # Other scores of one question change what the models of the other folds say, and nothing of its own fold.
    changed = [{**row, "score": 5 - row["score"]} if row["question_id"] == "q1" else row for row in answers]
    again = scores(tmp_path, base, changed, *LONG)
    for before, after in zip(told["answers"], again["answers"], strict=True):
        is_same = after["trained"] == pytest.approx(before["trained"], abs=2e-5)
        assert is_same == (before["fold"] == folds["q1"]), before
        assert after["base"] == before["base"] != before["trained"]


def test_without_training_the_upper_layers_say_what_the_base_says(
    tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = scores(tmp_path, base, rows(), "--minutes", "0")
    for one in told["answers"]:
        assert one["trained"] == pytest.approx(one["base"], abs=1e-4)
    written = (tmp_path / "out" / "table.md").read_text("utf-8")
    (tmp_path / "out" / "table.md").unlink()
    capsys.readouterr()
    main([str(tmp_path), str(tmp_path / "out"), "--tables-only"])
    assert capsys.readouterr().out.strip() == written.strip()
