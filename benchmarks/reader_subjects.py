"""Answers that leave their subject to the question, made by rule of K-QA's physicians' answers.

Each is one sentence, or what is left of one, as the whole answer. Of a nugget every telling word stands in the nearest
sentence or in the question, and some in the question alone.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reader_answers import Answer, own_questions, turned_around
from benchmarks.reader_runs import answer_claims
from benchmarks.reader_sets import SEED, gzipped
from medassay.models.nuggets.behind_question import telling
from medassay.models.nuggets.words import words

TOLD = 0.8
"""Share of a nugget's telling words that sentence and question hold together."""
_PREPOSITION = re.compile(
    r"\b(?:of|for|in|with|to|from|on|about|during|after)\s+(?:(?:the|a|an|this|these|your)\s+)?$", re.I
)
_JOINS = re.compile(
    r"^(?:is|are|was|were|will|can|may|should|be|for|of|to|and|it|that|which|the|a|an)\b\s*", re.I
)


PREMISES = ("Is it true that {}?", "I have read that {}. What should I do?")


def subjects_left_out(
    data: Path, nearest: Callable[[str, Sequence[str]], str], part: str, most: int
) -> list[Answer]:
    """Return answers of one statement each, at most so many of a kind.

    Kinds: `stated`; `turned`, the nugget turned around by one word; `silent`, another nugget of the question, of which
    the sentence has no word that is not in the question; `premise`, the same where the question claims it.

    Args:
        data: the shared folder.
        nearest: returns which of some texts is nearest in meaning to a text.
        part: `looked at` (K-QA's labelled questions) or `held out` (those of `own_questions`).
        most: answers of each kind and form.
    """
    rows = own_questions(data) if part == "held out" else labelled_questions(data)
    found: dict[tuple[str, ...], list[Answer]] = {}
    for answer in (one for row in rows for one in of_question(row, nearest)):
        found.setdefault(answer.kinds, []).append(answer)
    chance = random.Random(SEED)
    return [one for kind in found.values() for one in chance.sample(kind, len(kind))[:most]]


def labelled_questions(data: Path) -> list[dict[str, Any]]:
    """Return the questions of `dev` and `dev2`."""
    ids = {
        r["question_id"] for p in ("dev", "dev2") for r in gzipped(data / f"kqa/nugget_labels_{p}.jsonl.gz")
    }
    return [r for r in gzipped(data / "kqa/questions.jsonl.gz") if r["question_id"] in ids]


def of_question(row: dict[str, Any], nearest: Callable[[str, Sequence[str]], str]) -> Iterator[Answer]:
    """Yield what is made of one question; the second of `kinds` is the form of the sentence."""
    group, question, nuggets = (
        row["question_id"],
        row["question"],
        [n["text"].strip() for n in row["nuggets"]],
    )
    found = answer_claims("", "", row["reference_answer"], question)
    sentences = [claim.text for claim in found if claim.kind == "claim"]
    asked = telling(question)
    for nugget in nuggets:
        sentence = nearest(nugget, sentences)
        others = [n for n in nuggets if (new := telling(n) - asked) and not new & telling(sentence)]
        for form, text in answers_of(sentence, nugget, asked):

            def made(asks: str, statement: str, label: str, kind: str) -> Answer:
                return Answer(group, asks, text, (statement,), (label,), (kind, form))  # noqa: B023

            yield made(question, nugget, "entailment", "stated")
            if turned := turned_around(nugget):
                yield made(question, turned, "contradiction", "turned")
            if others:
                other = max(others, key=lambda n: len(telling(n) & asked) / len(telling(n)))
                yield made(question, other, "neutral", "silent")
                said = other.rstrip(". ")
                said = said if said[:2].isupper() else said[0].lower() + said[1:]
                for premise in PREMISES:
                    yield made(premise.format(said), other, "neutral", "premise")


def answers_of(sentence: str, nugget: str, asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield a sentence as it is where it leaves something to the question, else with its subject taken out."""
    wanted, said = telling(nugget), telling(sentence)
    if not wanted or len(wanted & (said | asked)) < TOLD * len(wanted) or not wanted - asked:
        return
    if wanted & asked - said:
        yield "alone", sentence
    places = [(w.start, w.end) for w in words(sentence) if w.stem in wanted & asked]
    if not places:
        return
    found = runs(sentence, places)
    if len(found) == 1 and (named := without(sentence, *found[0])) and telling(named) & wanted:
        yield "it", named
    rest = sentence[places[-1][1] :].strip(" ,;:.")
    while cut := _JOINS.match(rest):
        rest = rest[cut.end() :]
    left = wanted - asked
    if len(rest.split()) > 1 and len(left & telling(rest)) >= TOLD * len(left):
        yield "short", rest[0].upper() + rest[1:] + "."


def without(sentence: str, start: int, end: int) -> str | None:
    """Put "it" for a phrase at the beginning, or leave it out with its preposition; None where it is elsewhere."""
    before, after = sentence[:start], sentence[end:]
    if re.fullmatch(r"\W*(?:(?:the|a|an|this|these|your)\s+)?", before, re.I):
        return "It" + after
    cut = _PREPOSITION.search(before)
    return before[: cut.start()].rstrip() + after if cut else None


def runs(sentence: str, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join places with nothing but spaces or hyphens between them."""
    found: list[tuple[int, int]] = []
    for start, end in places:
        if found and not sentence[found[-1][1] : start].strip(" -"):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found
