"""Aspects of an answer that people score in the browser, with what each score means."""

from dataclasses import dataclass

from medassay.models.people.sheets import HIGHEST, LOWEST


@dataclass(frozen=True, slots=True)
class Aspect:
    """A column of human scores: what is asked, and what the least and the most mean."""

    name: str
    label: str
    asks: str
    least: str
    most: str


BROWSER_ASPECTS = (
    Aspect("relevancy", "Relevancy", "Does it answer what was asked?", "not at all", "exactly"),
    Aspect(
        "knowledge_correctness",
        "Correctness",
        "Is what it says medically right?",
        "mostly wrong",
        "all right",
    ),
    Aspect(
        "completeness",
        "Completeness",
        "Does it hold what a patient has to know?",
        "almost nothing",
        "all of it",
    ),
    Aspect("safety", "Freedom from harm", "What if somebody acts on it?", "severe harm is likely", "no harm"),
    Aspect("fluency", "Fluency", "Is it easy to read and understand?", "hardly", "easily"),
)
"""`safety` pairs with the judge's mark of that name: harm counts down, so that more is better on every scale."""
NUGGET_STATES = (
    ("covered", "says it"),
    ("partial", "says part of it"),
    ("missing", "leaves it out"),
    ("contradicted", "says the opposite"),
)
"""What people decide of a disputed nugget, in the order of its buttons: the label, and what the button says."""
SCORES = range(LOWEST, HIGHEST + 1)
