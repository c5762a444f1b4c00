"""What one training does, and where each of its parts lies in its folder."""

from dataclasses import dataclass
from pathlib import Path

from models.intake.rows import IntakeError
from models.judge_training.curriculum import STAGES, curriculum
from models.judge_training.fitting import Target, messages_of
from models.judge_training.presets import Preset
from models.judge_training.records import EvaluationCase, read_cases
from models.settings import UsageError

ABLATIONS = ("no_chain", "no_curriculum", "vanilla")
"""Trained anew; the judge before introspection is the fourth, `no_introspection`."""
PARTS = ("strong", "weak", "test")


@dataclass(frozen=True, slots=True)
class Splits:
    """The cases of a training: the strong and the weak evaluator's, and the ones kept for the table."""

    strong: tuple[EvaluationCase, ...]
    weak: tuple[EvaluationCase, ...]
    test: tuple[EvaluationCase, ...]

    @property
    def train(self) -> tuple[EvaluationCase, ...]:
        """Return everything that is learnt from."""
        return (*self.strong, *self.weak)


@dataclass(frozen=True, slots=True)
class Plan:
    """One training: its name, its folder, what is trained from which data, and how far.

    `unaided` is a folder of splits made without knowledge from stores, for the ablations that leave the chain out.
    """

    name: str
    folder: Path
    data: Path
    preset: Preset
    seed: int = 17
    iterations: int = 2
    introspect_at_most: int = 200
    ablations: tuple[str, ...] = ()
    unaided: Path | None = None

    def __post_init__(self) -> None:
        unknown = [name for name in self.ablations if name not in ABLATIONS]
        if unknown:
            raise UsageError(f"there is no ablation '{unknown[0]}': choose from {', '.join(ABLATIONS)}")
        if self.unaided is None and {"no_chain", "vanilla"} & {*self.ablations}:
            raise UsageError(
                "the ablations no_chain and vanilla need data without the chain: name it with --unaided"
            )

    @property
    def base(self) -> Path:
        """Return where a base that has to be made lies."""
        return self.folder / "base"

    def stage(self, *parts: str) -> Path:
        """Return a stage's folder."""
        return self.folder.joinpath("stages", *parts)

    def checkpoint_names(self) -> list[str]:
        """List what the table has a row for, in order of training."""
        rounds = [f"introspection {number}" for number in range(1, self.iterations + 1)]
        return [*(f"stage {stage}" for stage in STAGES), *rounds, *self.ablations]

    def folder_of(self, checkpoint: str) -> Path:
        """Return the folder of the stage that a row of the table is about."""
        kind, _, number = checkpoint.partition(" ")
        if kind == "stage":
            return self.stage("curriculum", number)
        if kind == "introspection":
            return self.stage("introspection", number)
        return self.stage("ablations", checkpoint, "3" if checkpoint == "no_chain" else "1")

    @property
    def last(self) -> str:
        """Name the checkpoint that becomes the judge."""
        return f"introspection {self.iterations}" if self.iterations else f"stage {STAGES[-1]}"


def read_splits(folder: Path) -> Splits:
    """Read `strong.jsonl`, `weak.jsonl` and `test.jsonl` of a folder, or of its `splits/`; `.gz` of each too.

    Raises:
        IntakeError: where a file is missing or cannot be read.
        UsageError: where nothing is to be learnt, or a question stands in training and test.
    """
    inner = folder / "splits" if (folder / "splits").is_dir() else folder
    strong, weak, test = (tuple(read_cases(_file(inner, part))) for part in PARTS)
    scored = [case for case in (*strong, *weak) if case.scores is not None]
    if not scored:
        raise UsageError(f"{inner}: no case has scores; there is nothing to learn from")
    if shared := {case.question_id for case in scored} & {case.question_id for case in test}:
        raise UsageError(
            f"{inner}: question {min(shared)} stands in training and in test; a judge must not be examined on what it saw"
        )
    return Splits(strong, weak, test)


def curriculum_targets(splits: Splits, seed: int) -> dict[str, list[Target]]:
    """Return what each stage of the curriculum learns."""
    return {
        stage: plain_targets(cases) for stage, cases in curriculum(splits.strong, splits.weak, seed).items()
    }


def plain_targets(cases: list[EvaluationCase]) -> list[Target]:
    """Return cases as what is learnt: the prompt, answered by the evaluation."""
    return [Target(case, case.evaluation) for case in cases]


def texts_of(splits: Splits) -> list[str]:
    """Return what a tokenizer of a random model is fitted to: prompts and evaluations of training."""
    return [f"{messages_of(case)[-1]['content']}\n{case.evaluation}" for case in splits.train if case.scores]


def _file(folder: Path, part: str) -> Path:
    found = [path for path in (folder / f"{part}.jsonl", folder / f"{part}.jsonl.gz") if path.is_file()]
    if not found:
        raise IntakeError(
            folder / f"{part}.jsonl", None, "it is missing", "give a folder that judge-data has built"
        )
    return found[0]
