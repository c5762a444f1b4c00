"""What data for a judge is built from: who answers, who evaluates, and how it is put together."""

from dataclasses import dataclass, field
from pathlib import Path

from medassay.models.answering.systems import System
from medassay.models.chat.endpoint import Endpoint
from medassay.models.judge_training.chain import MOST_QUESTIONS
from medassay.models.judge_training.composing import Orders, Part
from medassay.models.judge_training.knowledge import SearchMethod
from medassay.models.judge_training.questions import Bounds, Rule, shipped_rules
from medassay.models.judge_training.records import REFERENCE, Strength
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS
from medassay.models.usage import UsageError
from medassay.tasks.answering.answers import Limits
from medassay.tasks.spending import caps

LEAST_TEST_SYSTEMS = 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is built: who answers, who evaluates, and how questions and responses are put together.

    `test_systems` answer questions of the test alone, all others questions of training alone. Without a weak evaluator
    all training questions are the strong one's.
    """

    systems: tuple[System, ...]
    strong: Endpoint
    weak: Endpoint | None
    test_systems: tuple[str, ...]
    with_given: bool = False
    reference_as_doctor: bool = True
    n_doctors: int = 3
    orders: Orders = "all"
    test_share: float = 0.2
    strong_share: float = 0.5
    most_questions: int = MOST_QUESTIONS
    n_passages: int = 1
    least_relevance: float | None = None
    embedder: str = "embedded"
    search: SearchMethod = "duckdb"
    seed: int = 0
    rules: tuple[Rule, ...] = field(default_factory=shipped_rules)
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        """Refuse what cannot be built.

        Raises:
            UsageError: naming the choice and what to choose instead.
        """
        if not FEWEST_ANSWERS <= self.n_doctors <= MOST_ANSWERS:
            raise UsageError(f"--doctors is {self.n_doctors}: choose {FEWEST_ANSWERS} to {MOST_ANSWERS}")
        if self.test_share and len(set(self.test_systems)) < LEAST_TEST_SYSTEMS:
            raise UsageError(
                f"--test-systems names {len(set(self.test_systems))}: name at least {LEAST_TEST_SYSTEMS} that are"
                " kept for the test, or choose --test-share 0"
            )
        if any(system.name == REFERENCE for system in self.systems):
            raise UsageError(f"--system {REFERENCE}: that name is kept for reference answers")

    def strength_of(self, part: Part) -> Strength:
        """Return which evaluator a part of the questions gets; the test gets the strong one."""
        return "weak" if part == "weak" else "strong"

    @property
    def endpoints(self) -> list[Endpoint]:
        """Return the evaluators."""
        return [self.strong, *([self.weak] if self.weak else [])]

    def endpoint_of(self, strength: Strength) -> Endpoint:
        """Return who that evaluator is."""
        return self.weak if strength == "weak" and self.weak is not None else self.strong


def refuse_unpriced(recipe: Recipe, home: Path, limits: Limits) -> None:
    """Refuse prices that cannot be read, and a cap in money where a price is not known.

    Raises:
        UsageError: naming the model and where to write its price.
    """
    known = caps.tariffs(home, limits.prices)
    endpoints = [*(system.endpoint for system in recipe.systems), *recipe.endpoints]
    if limits.max_money is not None:
        models = dict.fromkeys(endpoint.model for endpoint in endpoints if not endpoint.is_ours)
        caps.refuse_unpriced(models, known, home)
