"""A small invented world: questions, doctors' answers and their true points, all made from templates and a seed.

Drugs and conditions are invented, so nothing said here is medical. A question states the guideline for one patient
(drug, dose, length); which food a drug does not go with stands in the documents alone. An answer earns two points, one
more for each of dose, length and food that it states right, and one less for none. Whoever reads no document has to
guess about foods.
"""

import random
from dataclasses import dataclass, replace

PARTS = ("dose", "length", "food")
_ONSETS, _CODAS = ("bal", "cor", "dem", "fen", "gal", "hul", "lom", "nar", "pev", "rud", "sil", "tov"), (
    "irol", "amib", "estin",
)  # fmt: skip
FOODS = ("milk", "tea", "rice", "eggs", "figs", "nuts", "soup", "corn", "plums", "beans")
DOSES = ("5", "10", "20", "25", "40", "50", "75", "80")
LENGTHS = ("3", "4", "6", "7", "9", "12", "14", "21")
CONDITIONS = (
    "grey fever",
    "blue cough",
    "slow pulse",
    "dry joints",
    "pale skin",
    "short sleep",
    "cold hands",
    "red eye",
)
SYSTEMS = {"careful": (0.70, 0.20), "hasty": (0.60, 0.35), "vague": (0.50, 0.15)}
"""How often each kind of answer states a part right, and wrong; else it leaves the part out."""
_OPENINGS = ("A patient has {condition}.", "Somebody has {condition}.", "In a case of {condition}:")
_ASKED = ("What should be taken?", "What is the treatment?", "How is this treated?")
_SAID = {
    "dose": ("The dose is {} mg.", "Use {} mg a day."),
    "length": ("Go on for {} days.", "Stop after {} days."),
    "food": ("Avoid {}.", "No {} with it."),
}


@dataclass(frozen=True, slots=True)
class WorldQuestion:
    """One question, what is true of it by part, what three doctors state of each part (None: nothing), and the texts."""

    question_id: str
    question: str
    truth: dict[str, str]
    stated: tuple[dict[str, str | None], ...]
    systems: tuple[str, ...]
    responses: tuple[str, ...]

    @property
    def points(self) -> tuple[int, ...]:
        """Return the true points of each doctor, 1 to 5."""
        return tuple(_points(_marks(said, self.truth)) for said in self.stated)


def foods_of(seed: int, n_drugs: int = 12) -> dict[str, str]:
    """Return the drugs of a world and the food that each does not go with."""
    chance = random.Random(f"foods {seed}")
    names = [f"{onset}{coda}" for onset in _ONSETS for coda in _CODAS]
    return {name: chance.choice(FOODS) for name in chance.sample(names, n_drugs)}


def documents_of(seed: int) -> list[tuple[str, str, str]]:
    """Return the world's documents as (id, title, text): one a drug, which says what the drug does not go with."""
    return [
        (
            f"doc-{drug}",
            drug.capitalize(),
            f"{drug.capitalize()} does not go with {food}. Avoid {food} with {drug}.",
        )
        for drug, food in foods_of(seed).items()
    ]


def make_questions(seed: int, n: int, prefix: str) -> list[WorldQuestion]:
    """Make `n` questions; another prefix gives others of the same world, equal texts left out by the draw's size."""
    foods, chance = foods_of(seed), random.Random(f"{prefix} {seed}")
    return [_question(f"{prefix}{number:04}", foods, chance) for number in range(n)]


def analysis_of(question: WorldQuestion, believed: dict[str, str]) -> tuple[str, tuple[int, ...]]:
    """Return an evaluation in the judge's form by somebody who takes `believed` for the truth, and the points in it."""
    verdicts, points = [], []
    for number, (said, text) in enumerate(zip(question.stated, question.responses, strict=True), start=1):
        marks = _marks(said, believed)
        points.append(_points(marks))
        quoted = zip(text.removesuffix(".").split(". "), marks or ["nothing"], strict=True)
        verdicts.append(
            f"Doctor {number}: " + ". ".join(f"{sentence}: {mark}" for sentence, mark in quoted) + "."
        )
    must = f"{believed['drug']}, {believed['dose']} mg, {believed['length']} days, no {believed['food']}"
    steps = [
        f"Step 1: A good answer says {must}.",
        *(f"Step {n}: {v}" for n, v in enumerate(verdicts, start=2)),
    ]
    scores = [
        f"Doctor {number}: {given} point{'s' if given > 1 else ''}."
        for number, given in enumerate(points, start=1)
    ]
    return "\n".join(["Analyze:", *steps, "Score:", *scores]), tuple(points)


def mistaken(
    question: WorldQuestion, chance: random.Random, error_rate: float, knows_food: bool
) -> dict[str, str]:
    """Return what an evaluator takes for true: each part wrong at `error_rate`, the food guessed unless it is known."""
    believed = dict(question.truth)
    for part, choices in (("dose", DOSES), ("length", LENGTHS), ("food", FOODS)):
        if chance.random() < error_rate or (part == "food" and not knows_food):
            believed[part] = chance.choice(choices)
    return believed


def in_order(question: WorldQuestion, order: tuple[int, ...]) -> WorldQuestion:
    """Return the question with its doctors in another order, by their places from 0."""
    return replace(
        question,
        stated=tuple(question.stated[place] for place in order),
        systems=tuple(question.systems[place] for place in order),
        responses=tuple(question.responses[place] for place in order),
    )


def _marks(said: dict[str, str | None], true: dict[str, str]) -> list[str]:
    return ["right" if said[part] == true[part] else "wrong" for part in PARTS if said[part] is not None]


def _points(marks: list[str]) -> int:
    return 2 + marks.count("right") if "right" in marks else 1


def _question(question_id: str, foods: dict[str, str], chance: random.Random) -> WorldQuestion:
    drug = chance.choice(list(foods))
    truth = {
        "drug": drug,
        "dose": chance.choice(DOSES),
        "length": chance.choice(LENGTHS),
        "food": foods[drug],
    }
    opening = chance.choice(_OPENINGS).format(condition=chance.choice(CONDITIONS))
    guideline = f"The guideline names {drug}, {truth['dose']} mg, for {truth['length']} days."
    systems = list(SYSTEMS)
    chance.shuffle(systems)
    stated = tuple(_stated(truth, *SYSTEMS[system], chance) for system in systems)
    return WorldQuestion(
        question_id,
        f"{opening} {guideline} {chance.choice(_ASKED)}",
        truth,
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
    said = [chance.choice(_SAID[part]).format(value) for part, value in parts.items() if value is not None]
    return " ".join(said) or "See a doctor."
