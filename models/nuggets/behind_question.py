"""Windows read behind their question, where an answer leaves to it what it is about ("15 mg per kg.", "It does.").

Read so are nuggets that no window states or turns around, of which the question names something that the window leaves
out. What the question says by itself counts for nothing: it is read alone, too.
"""

import math
from collections.abc import Iterator

from medassay.models.nuggets.evidence import Entailment, Held, MatchSettings
from medassay.models.nuggets.windows import by_position, nearest_windows, passage_of
from medassay.models.nuggets.words import words
from medassay.models.records import PairVerdict
from medassay.models.text.claims.parts import claim_parts
from medassay.models.text.sentences.splitting import sentences

LEAD_CHARACTERS = 300
"""The most of a question that stands in front of a window; a patient's letter or a conversation is longer."""
EVEN = 0.5
"""A verdict says neither where both decisions have less than this."""
RAISED = 2.0
"""What a window must add to the log odds that its question alone gives a decision (docs/reader.md)."""


def telling(text: str) -> frozenset[str]:
    """Return the stems of the words that tell what a text is about."""
    return frozenset(word.stem for word in words(text) if word.weight == 1)


def lead_of(question: str, nugget: str, passage: str) -> str:
    """Return what of a question names what a nugget is about and a passage does not; empty where nothing does.

    A question of at most `LEAD_CHARACTERS` is taken whole. Of a longer one those sentences that name most of it, the
    last ones first where they name as much, in the order in which they stand.
    """
    missing = (telling(nugget) & telling(question)) - telling(passage)
    if not missing:
        return ""
    asked = " ".join(question.split())
    if len(asked) <= LEAD_CHARACTERS:
        return asked
    parts = [question[span.start : span.end].strip() for span in sentences(question) or ()]
    named = [len(telling(part) & missing) for part in parts]
    room, taken = LEAD_CHARACTERS, []
    for place in sorted(range(len(parts)), key=lambda at: (-named[at], -at)):
        if named[place] and len(parts[place]) <= room:
            taken.append(place)
            room -= len(parts[place]) + 1
    return " ".join(" ".join(parts[place].split()) for place in sorted(taken))


def asked_before(lead: str, passage: str) -> str:
    """Return a passage behind the question that it answers."""
    return f"Question: {lead}\nAnswer: {passage}"


def questions_to_read(held: Held, entailment: Entailment, settings: MatchSettings) -> list[tuple[str, str]]:
    """List the pairs that tell whether an answer states a nugget whose subject only the question names.

    A window behind its question beside the nugget; and the question alone beside the nugget and each of its facts,
    since what the question says by itself the answer need not say.
    """
    found: dict[tuple[str, str], None] = {}
    for position, _, passage, lead in _behind_question(held, entailment, settings):
        if lead:
            nugget = held.nuggets[position]
            found.update(dict.fromkeys((lead, text) for text in (nugget, *claim_parts(nugget))))
            found[asked_before(lead, passage), nugget] = None
    return list(found)


def _behind_question(
    held: Held, entailment: Entailment, settings: MatchSettings
) -> Iterator[tuple[int, int, str, str]]:
    """Yield (nugget position, claim position, passage, what of the question stands before it: mostly nothing)."""
    known = by_position(held.claims)
    read = [
        (position, claim, passage_of(window, known))
        for position, claim, window in nearest_windows(held.claims, held.nuggets, held.similarity, settings)
    ]
    settled = {
        position
        for position, _, passage in read
        if not _says_neither(entailment.get((passage, held.nuggets[position])))
    }
    for position, claim, passage in read:
        lead = "" if position in settled else lead_of(held.question, held.nuggets[position], passage)
        yield position, claim, passage, lead


def _says_neither(verdict: PairVerdict | None) -> bool:
    return (
        verdict is not None
        and verdict.entailment is not None
        and max(verdict.entailment, verdict.contradiction or 0.0) < EVEN
    )


def _decides(verdict: PairVerdict | None, alone: PairVerdict | None) -> bool:
    """Return whether a verdict on a window behind its question decides, and more surely than the question alone."""
    if verdict is None or verdict.entailment is None or alone is None or _says_neither(verdict):
        return False
    stated = verdict.entailment > (verdict.contradiction or 0.0)
    decided, before = (
        (verdict.entailment, alone.entailment) if stated else (verdict.contradiction, alone.contradiction)
    )
    return log_odds(decided or 0.0) - log_odds(before or 0.0) >= RAISED


def passages_read(
    held: Held, entailment: Entailment, settings: MatchSettings
) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (nugget position, claim position, passage whose verdict counts, whether it begins with the question)."""
    for position, claim, passage, lead in _behind_question(held, entailment, settings):
        nugget, led = held.nuggets[position], asked_before(lead, passage)
        alone = [entailment.get((lead, text)) for text in (nugget, *claim_parts(nugget))] if lead else []
        decides = (
            bool(lead)
            and all(map(_says_neither, alone))
            and _decides(entailment.get((led, nugget)), alone[0])
        )
        yield position, claim, led if decides else passage, decides


def log_odds(probability: float) -> float:
    """Return the log odds of a probability, which is kept off 0 and 1."""
    clipped = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(clipped / (1 - clipped))
