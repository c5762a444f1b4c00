"""What one training does, and where each of its parts lies in its folder."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from medassay.models.intake.file_opening import refuse_absent
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.fitting import Target, messages_of
from medassay.models.judge_training.presets import Preset
from medassay.models.judge_training.records import EvaluationCase, read_cases
from medassay.models.judges.listwise.reply import FEWEST_POINTS, MOST_POINTS, score_lines
from medassay.models.usage import UsageError

TRAININGS, DATA_FILE, REVIEWS_FILE = "judge-training", "data.json", "reviews.jsonl"
"""The folder of a home that holds its trainings, and what each and each iteration of introspection has in it."""
STAGES = ("1", "2", "3")
"""Of the curriculum: easy data first, the best last (after AutoMedEval)."""
RecipePart = Literal["chain", "curriculum", "introspection"]
ABLATIONS: dict[str, frozenset[RecipePart]] = {
    "no_chain": frozenset({"chain"}),
    "no_curriculum": frozenset({"curriculum"}),
    "no_introspection": frozenset({"introspection"}),
    "vanilla": frozenset({"chain", "curriculum", "introspection"}),
}
"""What of the recipe each ablation leaves out; each is trained for as many steps as the whole recipe."""


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

    `unaided` is a folder of splits made without knowledge from stores, for the ablations that leave the chain out. The
    plan of an ablation names the `whole` recipe's plan, whose steps it takes over, and the parts that it is `without`.
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
    whole: "Plan | None" = None
    without: frozenset[RecipePart] = frozenset()

    def __post_init__(self) -> None:
        refuse_ablations(self.ablations, has_unaided=self.unaided is not None)
        if self.iterations == 0 and "no_introspection" in self.ablations:
            raise UsageError("the ablation no_introspection needs --iterations 1 or more to differ in")

    @property
    def base(self) -> Path:
        """Return where a base that has to be made lies."""
        return self.folder / "base"

    @property
    def stages(self) -> tuple[str, ...]:
        """List the stages before introspection: without a curriculum there is one."""
        return ("1",) if "curriculum" in self.without else STAGES

    @property
    def before_introspection(self) -> Path:
        """Return the folder of the stage that introspection begins with.

        It is the whole recipe's where nothing else is left out: trained anew it would be the same to the bit.
        """
        owner = self.whole if self.whole and self.without == {"introspection"} else self
        return owner.stage("curriculum", owner.stages[-1])

    def ablation(self, name: str) -> "Plan":
        """Return the plan of an ablation, in a folder of its own below this one's."""
        without = ABLATIONS[name]
        data = self.unaided if "chain" in without and self.unaided else self.data
        folder = self.stage("ablations", name)
        return replace(self, folder=folder, data=data, ablations=(), whole=self, without=without)

    def titled(self, step: str) -> str:
        """Return what a step is called where people watch: an ablation's begin with its name."""
        return f"{self.folder.name} {step}" if self.whole else step

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
        return self.ablation(checkpoint).last_folder

    @property
    def last_folder(self) -> Path:
        """Return the folder of the last stage."""
        return (
            self.stage("introspection", str(self.iterations))
            if self.iterations
            else self.before_introspection
        )

    def folders_until(self, checkpoint: str) -> list[Path]:
        """Return the folders of all stages that a row's weights went through, in order of training."""
        owner = self.ablation(checkpoint) if checkpoint in ABLATIONS else self
        begun = owner.before_introspection.parent
        rounds = [owner.stage("introspection", str(number)) for number in range(1, owner.iterations + 1)]
        found = [*(begun / stage for stage in owner.stages), *rounds]
        return found[: found.index(self.folder_of(checkpoint)) + 1]

    @property
    def last(self) -> str:
        """Name the checkpoint that becomes the judge."""
        return f"introspection {self.iterations}" if self.iterations else f"stage {STAGES[-1]}"


def refuse_ablations(ablations: Sequence[str], *, has_unaided: bool) -> None:
    """Refuse ablations that there are not, and those of the chain where no data was made without it.

    Raises:
        UsageError: naming what to choose or to give.
    """
    if unknown := [name for name in ablations if name not in ABLATIONS]:
        raise UsageError(f"there is no ablation '{unknown[0]}': choose from {', '.join(ABLATIONS)}")
    if not has_unaided and any("chain" in ABLATIONS[name] for name in ablations):
        raise UsageError(
            "the ablations no_chain and vanilla need data without the chain: name it with --unaided"
        )


def read_splits(folder: Path) -> Splits:
    """Read the splits of a folder that `judge-data` wrote: R′ and S′, R and S where no classifier was applied.

    A folder of cases that have gold scores and no evaluations (`train.jsonl`, `test.jsonl`) is read too: what is learnt
    there is to give those scores.

    Raises:
        IntakeError: where files are missing or cannot be read.
        UsageError: where nothing is to be learnt, or a question stands in training and test.
    """
    inner = folder / "splits" if (folder / "splits").is_dir() else folder
    remedy = "give one that `medassay judge-data build` or `mediqa` wrote"
    refuse_absent(folder, "no such folder", remedy)
    if not folder.is_dir():
        raise IntakeError(folder, None, "a file, and a folder is needed", remedy)
    if (inner / "train.jsonl").is_file():
        strong, weak = (
            tuple(with_gold_as_evaluation(read_cases(inner / "train.jsonl"))),
            tuple[EvaluationCase, ...](),
        )
    else:
        strong, weak = (_kept_of(inner, name) for name in ("train_strong", "train_weak"))
    test_file = inner / "test.jsonl"
    splits = Splits(strong, weak, tuple(read_cases(test_file)) if test_file.is_file() else ())
    if not any(case.scores for case in splits.train):
        raise UsageError(f"{inner}: no case has scores; there is nothing to learn from")
    if shared := {case.question_id for case in splits.train} & {case.question_id for case in splits.test}:
        raise UsageError(
            f"{inner}: question {min(shared)} stands in training and in test; a judge must not be examined on what it"
            " saw"
        )
    return splits


def with_gold_as_evaluation(cases: Sequence[EvaluationCase]) -> list[EvaluationCase]:
    """Return cases whose gold scores are whole points with a bare evaluation that gives them; others as they are."""
    return [_told(case) if case.scores is None and case.gold else case for case in cases]


def _told(case: EvaluationCase) -> EvaluationCase:
    points = tuple(int(score) for score in case.gold or ())
    if points != case.gold or not all(FEWEST_POINTS <= given <= MOST_POINTS for given in points):
        return case
    step = "Step 1: The answers were compared with the question."
    text = "\n".join(["Analyze:", step, "Score:", *score_lines(points)])
    return replace(case, evaluation=text, scores=points, status="scored", reason=None)


def _kept_of(folder: Path, name: str) -> tuple[EvaluationCase, ...]:
    """Read what the classifier kept, else all; the weak part may be missing."""
    for path in (folder / f"{name}_kept.jsonl", folder / f"{name}.jsonl"):
        if path.is_file():
            return tuple(read_cases(path))
    if name == "train_weak":
        return ()
    raise IntakeError(
        folder, None, f"no {name}.jsonl in it", "give a folder that `medassay judge-data build` wrote"
    )


def curriculum(
    strong: Sequence[EvaluationCase], weak: Sequence[EvaluationCase], seed: int
) -> dict[str, list[EvaluationCase]]:
    """Return the cases of each stage: a random half of the weak, then the rest, then a random half of the strong.

    The draw depends on the seed and the cases' ids alone, not on their order; an odd half is rounded up.
    """
    first, weak_rest = halves(weak, f"weak {seed}")
    last, strong_rest = halves(strong, f"strong {seed}")
    return {"1": first, "2": [*weak_rest, *strong_rest], "3": last}


def halves(cases: Sequence[EvaluationCase], seed: str) -> tuple[list[EvaluationCase], list[EvaluationCase]]:
    """Return a random half of the cases and the other one."""
    drawn = sorted(cases, key=lambda case: case.case_id)
    random.Random(seed).shuffle(drawn)
    middle = (len(drawn) + 1) // 2
    return drawn[:middle], drawn[middle:]


def curriculum_targets(
    splits: Splits, seed: int, stages: tuple[str, ...] = STAGES
) -> dict[str, list[Target]]:
    """Return what each stage of the curriculum learns; one without cases is left out.

    Where there is one stage only, it learns everything.
    """
    if len(stages) == 1:
        return {stages[0]: plain_targets(list(splits.train))}
    found = curriculum(splits.strong, splits.weak, seed)
    return {stage: plain_targets(cases) for stage, cases in found.items() if cases}


def plain_targets(cases: list[EvaluationCase]) -> list[Target]:
    """Return cases as what is learnt: the prompt, answered by the evaluation."""
    return [Target(case, case.evaluation) for case in cases]


def texts_of(splits: Splits) -> list[str]:
    """Return what a tokenizer of a random model is fitted to: prompts and evaluations of training."""
    return [f"{messages_of(case)[-1]['content']}\n{case.evaluation}" for case in splits.train if case.scores]
