"""What `train judge` refuses at once: exit code 2, one line that says what to do, and no wait for Prefect."""

from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from medassay.flows.cli import main
from medassay.models.judge_training.folders import write_lines
from medassay.models.judge_training.mediqa import mediqa_cases

WROTE = "give one that `medassay judge-data build` or `mediqa` wrote"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder of cases with gold scores, as `judge-data mediqa` writes it."""
    answers = [
        {
            "question_id": "q",
            "question": "What helps?",
            "system": f"rank{n}",
            "answer": f"It is {n}.",
            "score": n,
        }
        for n in (1, 2, 3)
    ]
    write_lines(tmp_path / "data" / "train.jsonl", map(asdict, mediqa_cases({"q": answers})))
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{data}/nowhere"], f"{{data}}/nowhere: no such folder; {WROTE}"),
        (["{data}/train.jsonl"], f"{{data}}/train.jsonl: a file, and a folder is needed; {WROTE}"),
        (
            ["--name", "../x"],
            "'../x' is no name of a trained judge: letters, digits, '.', '_' and '-' make one",
        ),
        (
            ["--base", "x"],
            "the preset tiny trains a model with random weights: leave --base out, or choose small",
        ),
        (
            ["--preset", "paper"],
            "the preset paper has no base of its own: name a model with --base <hub id or folder>",
        ),
        (
            ["--preset", "small"],
            "the preset small needs data: name a folder that `medassay judge-data build` wrote",
        ),
        (
            ["{data}", "--evaluator", "foo"],
            "'foo' is no model: write none, embedded, hf:<id or folder>, <base_url>#<model>, anthropic:<model> or gemini:<model>",
        ),
        (
            ["{data}", "--ablation", "no_chain"],
            "the ablations no_chain and vanilla need data without the chain: name it with --unaided",
        ),
    ],
)
def test_what_cannot_be_trained(data: Path, new_home: Path, arguments: list[str], said: str) -> None:
    given = [argument.format(data=data) for argument in arguments]
    ended = CliRunner(env={"MEDASSAY_HOME": str(new_home)}).invoke(main, ["train", "judge", *given])
    assert (ended.exit_code, ended.stdout, ended.stderr) == (2, "", f"{said.format(data=data)}\n")
    assert not new_home.exists()
