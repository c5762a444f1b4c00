"""The exchange record of judge training: one listwise evaluation of one question, as one JSON line."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from medassay.models.intake.file_opening import opened
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.folders import write_lines
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS
from medassay.models.judges.listwise.reply import FEWEST_POINTS, MOST_POINTS
from medassay.models.keys import content_key

if TYPE_CHECKING:
    from pydantic import ValidationError

REFERENCE = "reference"
"""The system name under which a reference answer stands among the doctors."""
Strength = Literal["strong", "weak"]
Status = Literal["scored", "abstained"]
StoreKind = Literal["medicine", "guidelines"]
CRITERIA = ("medical_knowledge", "no_misattribution", "fluency")
"""What experts check an evaluation for, in the order in which sheets show them."""
REMEDY = "give a file that `medassay judge-data build` wrote"


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a knowledge store: where it stands (`page` from 1, None in text files) and its cosine to the question.

    `start` and `end` count characters of the page (of the whole file where it has no pages).
    """

    store: StoreKind
    source: str
    page: int | None
    start: int
    end: int
    score: float
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question of the evaluator, the answer it was given, and the passages the answer rests on."""

    question: str
    answer: str
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpertLabel:
    """One expert's check of an evaluation: True where it passes the criterion."""

    expert: str
    medical_knowledge: bool
    no_misattribution: bool
    fluency: bool

    @property
    def passes(self) -> bool:
        """Return whether all three criteria are met."""
        return self.medical_knowledge and self.no_misattribution and self.fluency


@dataclass(frozen=True, slots=True)
class EvaluationCase:
    """One question, the responses in the order shown (Doctor 1..n), and how an evaluator scored them.

    `evaluation` is the text `Analyze: Step 1 … Score: Doctor 1: n points. …`, empty where the evaluator abstained.
    `scores` are the points read from it, 1 to 5, None where it abstained. `gold` are human or reference scores of the
    responses in the same order, where known. `quality` is the classifier's probability that experts accept the case.
    """

    case_id: str
    question_id: str
    question: str
    responses: tuple[str, ...]
    systems: tuple[str, ...]
    reference: str | None
    evaluation: str
    scores: tuple[int, ...] | None
    gold: tuple[float, ...] | None
    evaluator: str
    strength: Strength
    exchanges: tuple[Exchange, ...] = ()
    status: Status = "scored"
    reason: str | None = None
    expert_labels: tuple[ExpertLabel, ...] = ()
    quality: float | None = None

    def __post_init__(self) -> None:
        """Refuse a record whose parts do not fit together.

        Raises:
            ValueError: naming the part.
        """
        n = len(self.responses)
        if not FEWEST_ANSWERS <= n <= MOST_ANSWERS:
            raise ValueError(f"there are {n} responses; {FEWEST_ANSWERS} to {MOST_ANSWERS} can be compared")
        for name, values in (("systems", self.systems), ("scores", self.scores), ("gold", self.gold)):
            if values is not None and len(values) != n:
                raise ValueError(f"{name} has {len(values)} values for {n} responses")
        if self.scores and not all(FEWEST_POINTS <= score <= MOST_POINTS for score in self.scores):
            raise ValueError(f"scores are {list(self.scores)}; each is from {FEWEST_POINTS} to {MOST_POINTS}")
        if self.gold and not all(math.isfinite(score) for score in self.gold):
            raise ValueError("gold holds a number that is not finite")
        if (self.scores is None) != (self.status == "abstained"):
            raise ValueError(f"status is {self.status!r} and scores are {self.scores}")
        if self.status == "abstained" and not self.reason:
            raise ValueError("an abstained case needs a reason")


def case_key(
    question: str,
    responses: Sequence[str],
    systems: Sequence[str],
    evaluator: str,
    question_id: str,
    evaluation: str = "",
) -> str:
    """Return the content key of a case: the question, the responses in order, who evaluates them, and what was said.

    What experts say of a case is kept by this key, so that it never counts for another evaluation.
    """
    return content_key([question_id, question, list(responses), list(systems), evaluator, evaluation])


def write_cases(path: Path, cases: Iterable[EvaluationCase]) -> None:
    """Write cases as JSON lines; the file appears whole or not at all, gzipped where its name ends in `.gz`."""
    write_lines(path, cases)


def read_cases(path: Path) -> list[EvaluationCase]:
    """Read the cases of a file, gzipped or not, in order; fields that are not known are passed over.

    Raises:
        IntakeError: for a file that cannot be opened, a line that is no case, and a case that stands twice.
    """
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(EvaluationCase)
    cases: list[EvaluationCase] = []
    seen: dict[str, int] = {}
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                case = adapter.validate_json(line)
            except ValidationError as error:
                raise IntakeError(path, number, f"no evaluation case ({_first(error)})", REMEDY) from None
            if case.case_id in seen:
                what = f"case {case.case_id} stands at line {seen[case.case_id]} too"
                raise IntakeError(path, number, what, "delete one of them")
            seen[case.case_id] = number
            cases.append(case)
    return cases


def _first(error: "ValidationError") -> str:
    """Describe what the first problem of a line is, and at which field."""
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    said = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
