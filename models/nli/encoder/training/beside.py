"""Two statements about one subject that are both true, as pairs in which neither says or denies the other.

A benefit and a harm of a drug, two effects, two uses, two groups of patients. Beside them stand statements turned
around, so that the shared subject alone decides nothing.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

from medassay.models.nli.encoder.training.pairs import LabelledPair, Shares, read_rows
from medassay.models.nli.encoder.training.written import NEITHER, OTHERWISE, SAYS
from medassay.models.nli.joint_premises import words_of

FILE = "facts.jsonl"
TRIALS, QUESTIONS = "nli/evidence_inference/train.jsonl.gz", "kqa/questions.jsonl.gz"
_EFFECT = re.compile(
    r"Compared with (?P<other>.+?), (?P<treatment>.+) significantly (?P<way>increased|decreased) (?P<outcome>.+?)\.?"
)
_VERBS = {
    "increased": ("increases", "raises", "increased", "significantly increases"),
    "decreased": ("reduces", "lowers", "decreases", "reduced", "significantly reduces"),
}
_OPPOSITE = {"increased": "decreased", "decreased": "increased"}
LONGEST_TREATMENT, LONGEST_OUTCOME = 50, 60
"""Characters above which a treatment or an outcome describes the trial's design and does not read as a statement."""
A_TRIAL, A_QUESTION = 6, 8
"""At most so many pairs of two effects of one trial, and of nuggets of one question."""
SAME_WORDS = 0.55
"""The share of common words from which on one nugget may say what the other says."""


def is_left_out(key: str) -> bool:
    """Return whether a trial or a question is of the half that is kept to be measured."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 2 == 1


def pairs_beside(data: Path, seed: int, keep_questions: Iterable[str] = ()) -> list[LabelledPair]:
    """Return the pairs of the package's facts, of trials' outcomes and of K-QA's nuggets.

    Args:
        data: the folder of the sets.
        seed: of what is drawn.
        keep_questions: K-QA questions that are measured elsewhere.
    """
    chance, kept = Random(seed), set(keep_questions)
    return [
        *facts_beside(chance),
        *effects_beside((r for r in read_rows(data / TRIALS) if not is_left_out(str(r["doc"]))), chance),
        *nuggets_beside(
            (
                r
                for r in read_rows(data / QUESTIONS)
                if r["question_id"] not in kept and not is_left_out(r["question_id"])
            ),
            chance,
        ),
    ]


def written_facts() -> list[dict[str, Any]]:
    """Read the package's facts: three about one subject (`facts`), and the first one turned around (`against`)."""
    text = files("medassay.models.nli.encoder.training").joinpath(FILE).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def facts_beside(chance: Random) -> Iterator[LabelledPair]:
    """Yield each fact beside the others of its subject, beside its opposite, and amid others."""
    for number, item in enumerate(written_facts()):
        first, second, third = item["facts"]
        against = item["against"]
        rows: list[tuple[str, str, Shares]] = [
            (_ended(one, chance), other, NEITHER) for one, other in permutations(item["facts"], 2)
        ]
        rows += [(f"{second}. {third}.", first, NEITHER), (f"{third}. {first}.", second, NEITHER)]
        rows += [
            (_ended(first, chance), against, OTHERWISE),
            (_ended(against, chance), first, OTHERWISE),
            (f"{second}. {against}.", first, OTHERWISE),
            (f"{against}. {third}.", first, OTHERWISE),
            (f"{first}. {second}.", chance.choice((first, second)), SAYS),
        ]
        for premise, hypothesis, shares in rows:
            yield LabelledPair(premise, hypothesis, shares, "facts", f"facts/{number}")


def effects(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, str]]:
    """Collect by (document, treatment, comparator) which way each outcome went, from the claims that are true."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows:
        claim = _EFFECT.fullmatch(row["hypothesis"])
        if claim is None or row["label"] != "entailment":
            continue
        if len(claim["treatment"]) <= LONGEST_TREATMENT and len(claim["outcome"]) < LONGEST_OUTCOME:
            trial = str(row["doc"]), claim["treatment"], claim["other"]
            found.setdefault(trial, {})[claim["outcome"]] = claim["way"]
    return found


def effects_beside(rows: Iterable[dict[str, Any]], chance: Random) -> Iterator[LabelledPair]:
    """Yield two effects of one treatment beside one another, and effects beside their opposites.

    Outcomes that share a word may be one outcome twice, and are no pair.
    """
    for (document, treatment, _), outcomes in sorted(effects(rows).items()):

        def said(outcome: str, way: str, treatment: str = treatment) -> str:
            return f"{treatment} {chance.choice(_VERBS[way])} {outcome}"

        apart = [
            (one, other) for one, other in permutations(outcomes, 2) if not words_of(one) & words_of(other)
        ]
        for one, other in chance.sample(apart, min(A_TRIAL, len(apart))):
            premise, hypothesis = said(one, outcomes[one]), said(other, outcomes[other])
            yield LabelledPair(_ended(premise, chance), hypothesis, NEITHER, "effects", document)
        for outcome, way in list(outcomes.items())[:2]:
            premise, hypothesis = said(outcome, way), said(outcome, _OPPOSITE[way])
            yield LabelledPair(_ended(premise, chance), hypothesis, OTHERWISE, "effects", document)


def nuggets_beside(rows: Iterable[dict[str, Any]], chance: Random) -> Iterator[LabelledPair]:
    """Yield nuggets of one reference answer beside one another: of the same subject, and not the same fact."""
    for row in rows:
        texts = [nugget["text"].strip() for nugget in row["nuggets"]]
        apart = [pair for pair in permutations(texts, 2) if 0 < _shared(*pair) < SAME_WORDS]
        for one, other in chance.sample(apart, min(A_QUESTION, len(apart))):
            yield LabelledPair(_ended(one, chance), other, NEITHER, "nuggets_beside", row["question_id"])


def _shared(one: str, other: str) -> float:
    """Return the share of two texts' words that both have."""
    ours, theirs = words_of(one), words_of(other)
    return len(ours & theirs) / max(1, len(ours | theirs))


def _ended(text: str, chance: Random) -> str:
    """End a premise with a full stop, as sentences of answers do more often than not."""
    return text.rstrip(".") + chance.choice((".", ".", ""))
