"""Pairs from yes/no questions that people answered after reading an abstract: the question, said as a claim."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from models.entailment.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from models.entailment.training.pairs import LabelledPair, read_rows
from models.settings import UsageError

ANSWERS = {"yes": ENTAILMENT, "no": CONTRADICTION, "maybe": NEUTRAL}
"""What an answer makes of the claim; who found the evidence inconclusive neither upheld nor denied it."""

SOURCE = "questions"
WITHOUT_CONCLUSION = 0.4
"""The share of abstracts that are also read without their conclusion, so that results are learnt to speak."""

_BE = r"is|are|was|were|can|could|should|shall|will|would|may|might|must|has|have|had"
_ASKING = re.compile(
    rf"(?:(?P<topic>.+?)\s*[:.?]\s+)?(?P<verb>do|does|did|{_BE})\s+(?P<rest>[^:]+)\?", re.IGNORECASE
)
_OF_THE_TOPIC = re.compile(r"(?:it|they|this|these)\s+", re.IGNORECASE)
_NO_CLAIM = re.compile(r"\b(?:or|what|which|who|whose|when|where|why|how|there)\b", re.IGNORECASE)


def claim_of(question: str) -> str | None:
    """Say a yes/no question as a claim, in the words of a headline; None when it asks for something else.

    "Does aspirin prevent stroke?" becomes "Aspirin prevent stroke", "Enteroscopy: is it safe?" "Enteroscopy is safe".
    """
    asked = _ASKING.fullmatch(question.strip())
    if asked is None or _NO_CLAIM.search(asked["verb"] + " " + asked["rest"]):
        return None
    topic, verb, rest = asked["topic"], asked["verb"].lower(), asked["rest"]
    pronoun = _OF_THE_TOPIC.match(rest)
    if pronoun and not topic:
        return None
    if pronoun:
        rest = rest[pronoun.end() :]
        return f"{topic} {rest}" if verb in {"do", "does", "did"} else f"{topic} {verb} {rest}"
    claim = rest[0].upper() + rest[1:]
    return f"{topic}: {claim}" if topic else claim


def pairs_from_questions(path: Path, seed: int) -> list[LabelledPair]:
    """Make pairs of a file of JSON lines with `question`, `sections` (label, text), `conclusion` and `decision`.

    Raises:
        UsageError: when the file is absent, cannot be read, or holds no question that can be said as a claim.
    """
    if not path.exists():
        raise UsageError(f"{path}: no such file; name JSON lines of questions with sections and decision")
    pairs = list(_pairs(path, random.Random(seed)))
    if not pairs:
        raise UsageError(f"{path}: no yes/no question with sections and a decision of {', '.join(ANSWERS)}")
    return pairs


def _pairs(path: Path, chance: random.Random) -> Iterator[LabelledPair]:
    for number, row in enumerate(read_rows(path), 1):
        claim = claim_of(str(row.get("question", "")))
        label = ANSWERS.get(str(row.get("decision", "")))
        sections = row.get("sections")
        if claim is None or label is None or not isinstance(sections, list):
            continue
        body = " ".join(str(s["text"]) for s in sections if isinstance(s, dict) and s.get("text"))
        conclusion = str(row.get("conclusion") or "")
        doc = str(row.get("pmid") or number)
        whole = f"{body} {conclusion}".strip()
        if whole:
            yield LabelledPair(whole, claim, label, SOURCE, doc)
        if body and conclusion and chance.random() < WITHOUT_CONCLUSION:
            yield LabelledPair(body, claim, label, SOURCE, doc)
