"""Answers beside nuggets: K-QA's labelled ones, and physicians' own beside statements whose label follows by rule."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.reader_sets import SEED, gzipped

OWN_QUESTIONS = 24
UNKNOWN = "unknown"
_TURNS = (
    ("increases", "decreases"),
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("higher", "lower"),
    ("more", "less"),
    ("common", "rare"),
    ("effective", "ineffective"),
    ("safe", "dangerous"),
    ("should not", "should"),
    ("is not", "is"),
    ("are not", "are"),
    ("does not", "does"),
    ("can not", "can"),
    ("cannot", "can"),
)


@dataclass(frozen=True)
class Answer:
    """An answer beside nuggets; `labels` are of the same length. The nuggets are matched together, as in a run."""

    group: str
    question: str
    text: str
    nuggets: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...] = ()


def labelled_answers(data: Path, part: str) -> list[Answer]:
    """Return K-QA's labelled answers of a part (`dev`, `dev2`), one a question and system."""
    questions = {r["question_id"]: r["question"] for r in gzipped(data / "kqa/questions.jsonl.gz")}
    together: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in gzipped(data / f"kqa/nugget_labels_{part}.jsonl.gz"):
        # Of one question of dev2 the id is not known: its answer stands for it.
        together.setdefault((row["question_id"] or row["answer"][:60], row["answer"]), []).append(row)
    return [
        Answer(
            group,
            questions.get(group, ""),
            text,
            tuple(r["nugget"] for r in rows),
            tuple(r["label"] for r in rows),
        )
        for (group, text), rows in together.items()
    ]


def free_questions(data: Path) -> list[dict[str, Any]]:
    """Return the K-QA questions of which no answer was labelled."""
    labelled = {
        r["question_id"] for p in ("dev", "dev2") for r in gzipped(data / f"kqa/nugget_labels_{p}.jsonl.gz")
    }
    return [r for r in gzipped(data / "kqa/questions.jsonl.gz") if r["question_id"] not in labelled]


def own_questions(data: Path) -> list[dict[str, Any]]:
    """Return the questions of which no reader saw anything, in the order in which they were drawn."""
    free = free_questions(data)
    return random.Random(SEED).sample(free, min(OWN_QUESTIONS, len(free)))


def own_answers(
    data: Path, nearest: Callable[[str, Sequence[str]], str], most: int = OWN_QUESTIONS
) -> list[Answer]:
    """Return physicians' answers of K-QA questions that nobody labelled, beside statements whose label follows by rule.

    Their own nuggets are stated (`own`). A nugget of which one word has been turned around is contradicted (`turned`).
    The nugget of another question that is nearest in meaning (`foreign`), and a true nugget joined to it by "and"
    (`half`), have no label: about a third of them turned out to be stated by the answer too.

    Args:
        data: the shared folder.
        nearest: returns which of some texts is nearest in meaning to a text.
        most: so many questions, the first of those drawn with the seed.
    """
    free = free_questions(data)
    drawn = own_questions(data)[:most]
    found = []
    for row in drawn:
        own = [n["text"] for n in row["nuggets"]]
        others = [n["text"] for r in free if r["question_id"] != row["question_id"] for n in r["nuggets"]]
        rows = [(text, "entailment", "own") for text in own]
        turned = [text for text in map(turned_around, own) if text][:2]
        rows += [(text, "contradiction", "turned") for text in turned]
        foreign = [nearest(text, others) for text in own[:2]]
        rows += [(text, UNKNOWN, "foreign") for text in dict.fromkeys(foreign)]
        half = own[0].rstrip(". ") + " and " + foreign[0][0].lower() + foreign[0][1:]
        rows.append((half, UNKNOWN, "half"))
        texts, labels, kinds = zip(*rows, strict=True)
        found.append(
            Answer(row["question_id"], row["question"], row["reference_answer"], texts, labels, kinds)
        )
    return found


def turned_around(text: str) -> str | None:
    """Return a text that says the opposite by one word; None where no word of the list stands in it exactly once."""
    for one, other in _TURNS:
        for word, opposite in ((one, other), (other, one)):
            places = list(re.finditer(rf"\b{word}\b(?! not?\b)", text))
            if len(places) == 1:
                return text[: places[0].start()] + opposite + text[places[0].end() :]
    return None
