"""A small invented world: questions, doctors' answers and their true points, all made from templates and a seed.

Drugs and conditions are invented, so nothing said here is medical. A question names a drug; its dose, how long it is
taken and which food it does not go with stand in the world's documents, one a drug. An answer earns two points and one
more for each of the three that it states right, and one point where it states none right. Whoever reads no document
has to guess some of them.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medassay.models.judges.listwise.reply import score_lines

PARTS = ("dose", "length", "food")
_ONSETS, _CODAS = ("bal", "cor", "dem", "fen", "gal", "hul", "lom", "nar", "pev", "rud", "sil", "tov"), (
    "irol", "amib", "estin",
)  # fmt: skip
FOODS = ("milk", "tea", "rice", "eggs", "figs", "nuts")
DOSES = ("5", "10", "20", "40", "50", "80")
LENGTHS = ("3", "6", "7", "9", "12", "14")
N_DRUGS = 8
CONDITIONS = ("grey fever", "blue cough", "slow pulse", "dry joints", "pale skin", "cold hands", "red eyes")
SYSTEMS = {"careful": (0.70, 0.20), "hasty": (0.60, 0.35), "vague": (0.50, 0.15)}
TEST_SYSTEMS = {"steady": (0.65, 0.20), "bold": (0.55, 0.40), "brief": (0.45, 0.20)}
"""How often each kind of answer states a part right, and wrong; else it leaves the part out."""
_ASKED = (
    "A patient of {age} with {condition} gets {drug}. How is it taken?",
    "How should {drug} be taken against {condition} at the age of {age}?",
    "I am {age} and have {condition}. How do I take {drug}?",
)
AGES = ("24", "31", "38", "45", "52", "59", "66", "73", "80")
_SAID = (
    "Take {dose} mg for {length} days without {food}.",
    "Use {dose} mg over {length} days without {food}.",
)
_LEFT_OUT = {"dose": "some", "length": "some", "food": "delay"}
"""What stands in an answer where it says nothing of a part; one word, as what is said."""


@dataclass(frozen=True, slots=True)
class WorldQuestion:
    """One question, what is true by part, what each system states of the parts (None: nothing), and the texts."""

    question_id: str
    question: str
    drug: str
    truth: dict[str, str]
    stated: tuple[dict[str, str | None], ...]
    systems: tuple[str, ...]
    responses: tuple[str, ...]

    @property
    def points(self) -> tuple[int, ...]:
        """Return the true points of each response, 1 to 5."""
        return tuple(
            _points({part: _mark(said[part], self.truth[part]) for part in PARTS}) for said in self.stated
        )

    @property
    def reference(self) -> str:
        """Return the answer that states every part right."""
        return _SAID[0].format(**self.truth)

    def in_order(self, responses: Sequence[str]) -> "WorldQuestion":
        """Return the question with some of its responses, by their texts, in this order.

        Raises:
            ValueError: for a text that is no response to it.
        """
        places = [self.responses.index(text) for text in responses]
        return replace(
            self,
            stated=tuple(self.stated[place] for place in places),
            systems=tuple(self.systems[place] for place in places),
            responses=tuple(responses),
        )


def facts_of(seed: int) -> dict[str, dict[str, str]]:
    """Return the drugs of a world and what is true of each, by part."""
    chance = random.Random(f"facts {seed}")
    names = [f"{onset}{coda}" for onset in _ONSETS for coda in _CODAS]
    choices = {"dose": DOSES, "length": LENGTHS, "food": FOODS}
    return {
        name: {part: chance.choice(choices[part]) for part in PARTS} for name in chance.sample(names, N_DRUGS)
    }


def documents_of(seed: int) -> dict[str, str]:
    """Return the world's documents by drug; each says how the drug is taken."""
    return {
        drug: f"{drug} is taken as {true['dose']} mg for {true['length']} days without {true['food']}."
        for drug, true in facts_of(seed).items()
    }


def make_questions(seed: int, n: int, prefix: str = "q") -> list[WorldQuestion]:
    """Make `n` questions of a world, no two with the same words."""
    facts, chance = facts_of(seed), random.Random(f"{prefix} {seed}")
    made: dict[str, WorldQuestion] = {}
    while len(made) < n:
        question = _question(f"{prefix}{len(made):04}", facts, chance)
        made.setdefault(question.question, question)
    return list(made.values())


def analysis_of(question: WorldQuestion, believed: dict[str, str]) -> tuple[str, tuple[int, ...]]:
    """Return an evaluation in the judge's form by somebody who takes `believed` for the truth, and the points in it.

    It says of each doctor whether dose, length and food are right, wrong or missing.
    """
    verdicts, points = [], []
    for number, said in enumerate(question.stated, start=1):
        marks = {part: _mark(said[part], believed[part]) for part in PARTS}
        points.append(_points(marks))
        verdicts.append(f"Doctor {number}: {', '.join(marks.values())}.")
    must = f"{question.drug}: {believed['dose']} mg, {believed['length']} days, no {believed['food']}"
    steps = [f"Step 1: {must}.", *(f"Step {n}: {v}" for n, v in enumerate(verdicts, start=2))]
    return "\n".join(["Analyze:", *steps, "Score:", *score_lines(points)]), tuple(points)


def mistaken(question: WorldQuestion, chance: random.Random, error_rate: float) -> dict[str, str]:
    """Return what an evaluator takes for true, who mistakes each part for another at `error_rate`."""
    believed = dict(question.truth)
    for part, choices in (("dose", DOSES), ("length", LENGTHS), ("food", FOODS)):
        if chance.random() < error_rate:
            believed[part] = chance.choice([choice for choice in choices if choice != question.truth[part]])
    return believed


def _mark(said: str | None, true: str) -> str:
    return "missing" if said is None else "right" if said == true else "wrong"


def _points(marks: dict[str, str]) -> int:
    n_right = list(marks.values()).count("right")
    return 2 + n_right if n_right else 1


def _question(question_id: str, facts: dict[str, dict[str, str]], chance: random.Random) -> WorldQuestion:
    drug = chance.choice(list(facts))
    systems = {**SYSTEMS, **TEST_SYSTEMS}
    stated = tuple(_stated(facts[drug], *shares, chance) for shares in systems.values())
    return WorldQuestion(
        question_id,
        chance.choice(_ASKED).format(age=chance.choice(AGES), condition=chance.choice(CONDITIONS), drug=drug),
        drug,
        facts[drug],
        stated,
        tuple(systems),
        tuple(_said(parts, chance) for parts in stated),
    )


def _stated(
    truth: dict[str, str], right: float, wrong: float, chance: random.Random
) -> dict[str, str | None]:
    choices = {"dose": DOSES, "length": LENGTHS, "food": FOODS}
    stated: dict[str, str | None] = {}
    for part in PARTS:
        drawn = chance.random()
        others = [choice for choice in choices[part] if choice != truth[part]]
        stated[part] = (
            truth[part] if drawn < right else chance.choice(others) if drawn < right + wrong else None
        )
    return stated


def _said(parts: dict[str, str | None], chance: random.Random) -> str:
    return chance.choice(_SAID).format(**{part: value or _LEFT_OUT[part] for part, value in parts.items()})
