"""An answer as the single statements that a small judge reads, each by itself.

A small model is moved by whatever stands beside a claim, be it praise, authority, padding or another claim. Read one
by one, with the weakest reading counting, statements cannot lend each other anything: adding to an answer never raises
it. What frames a statement within its sentence is taken off (`frames`); what may have been grown into it is left out
of versions of it: appeals (`appeals`), what marks set off (`set_off`), what is far in meaning (`far_asides`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.statements.appeals import LISTS, ROOM, TELLS_SOMETHING, is_appeal, without_appeals
from medassay.models.judges.statements.far_asides import MOST_COSINE, Cosine, all_asides, far_asides, is_far
from medassay.models.judges.statements.frames import without_frames
from medassay.models.judges.statements.plain_text import plain_text
from medassay.models.judges.statements.set_off import parts_of, without_asides
from medassay.models.judges.statements.views import (
    ADDRESSED,
    BESIDE,
    TIED,
    is_beside,
    part_of,
    statement_of,
    version_of,
)
from medassay.models.nuggets.words import keys, lines_of, words
from medassay.models.text.claims.non_claims import non_claim_reason
from medassay.models.text.sentences.splitting import sentences
from medassay.models.text.verbs import IMPERATIVES, is_finite

FEWEST_WORDS = 3
FEWEST_WORDS_OF_A_CLAUSE = 4
FEWEST_WORDS_OF_AN_ASIDE = 2
"""A single word between commas belongs to a list."""
MOST_ROUNDS = 2
MOST_TIED = 8
MOST_BESIDE = 6
MOST_ADDRESSED = 3
MOST_PARTS = 4
FEWEST_WORDS_OF_A_PART = 5
STILL_READ = frozenset({"a refusal", "advice to see a doctor", "a bare reply"})
"""Why a sentence is no claim, where it may be what a patient follows all the same."""
REFERS_BACK = frozenset("this these they those".split())
"""Not "it", which need not mean anything ("it is normal to have doubts")."""
WORD_LISTS = ("stop_words", "light_words", "synonyms")

_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>")
_BLOCK_TAG = re.compile(r"</?(?:p|div|li|ul|ol|br|h\d|tr|td|th|table)\b[^<>\n]{0,80}>", re.IGNORECASE)
_NOTE_MARK = re.compile(r"(?:(?<=[.!?;,:\])])|^)[¹²³⁰-⁹*†‡§]+(?=\s|$)", re.MULTILINE)
_CITATION = re.compile(
    r"\s*(?:\[(?:\d[\d\s,;–-]*|[A-Za-z][\w.:/-]*\d[\w.:/-]*)\]|\((?:PMIDs?|PMC(?:ID)?|DOI|NCT)\b[^()\n]{0,80}\))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:(?<=[^\W\d_,])|(?<=,))(?:\s*(?:\.{3}|…)\s*|[ \t]*\n\s*(?:\d+[.)]\s+|[-*•]\s+)?)(?=[a-z]+\s)"
)
"""Where a line or a row of dots breaks into the middle of a sentence."""
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"\n]{20,})[”“»\"]")
_QUOTE_MARKS = re.compile(r"[“”„«»\"]")
_SEMICOLON = re.compile(r";\s+")
_TABLE_MARK = re.compile(r"\s*\|[\s|:-]*")


class Shorter(NamedTuple):
    """A statement without what may have been grown into it."""

    versions: tuple[str, ...]
    gist: str


@dataclass(frozen=True, slots=True)
class Statements:
    """What an answer says: statements that share a telling word with the question, and those beside them.

    Shorter versions of a statement are made when they are asked for: how far an aside is from the question takes an
    embedder.
    """

    tied: tuple[str, ...]
    beside: tuple[str, ...]
    in_order: tuple[str, ...]
    question: str
    known: frozenset[str]
    cosine: Cosine | None
    addressed: tuple[str, ...] = ()
    """What passages addressed to a judge tell besides; it counts only where it reads as wrong or unsafe."""

    @property
    def addressed_texts(self) -> dict[str, str]:
        """Name what passages addressed to a judge tell besides."""
        return {f"{ADDRESSED}{n}": text for n, text in enumerate(self.addressed)}

    @property
    def texts(self) -> dict[str, str]:
        """Name every statement, the tied ones first."""
        return {
            **{f"{TIED}{n}": text for n, text in enumerate(self.tied)},
            **{f"{BESIDE}{n}": text for n, text in enumerate(self.beside)},
        }

    @property
    def bare(self) -> tuple[str, ...]:
        """All that is stated, in order and without appeals."""
        return tuple(_bare(statement, self.known) for statement in self.in_order)

    @property
    def whole(self) -> str:
        """All that is stated, in order and without appeals, as one text."""
        return " ".join(self.bare)

    def versions_of(self, view: str) -> dict[str, str]:
        """Name the shorter versions of a statement: first the one without appeals, where there are any."""
        versions = self._shorter(view).versions
        return {version_of(view, n): version for n, version in enumerate(versions, 1)}

    def gist_view(self, view: str) -> str:
        """Name the view of which it is asked whether it answers the question: a version of a statement, or itself."""
        gist = self._shorter(view).gist
        return next((name for name, version in self.versions_of(view).items() if version == gist), view)

    def answering_texts(self, view: str) -> dict[str, str]:
        """Name what is asked about to see whether a statement answers the question: of a tied one the gist.

        In a statement that is nowhere near the question what is far from it may be the statement itself, and the gist
        what was grown around it. So the whole is asked about as well, and what stands between its marks.
        """
        gist = self.gist_view(view)
        texts = {gist: self.text_of(gist)}
        if is_beside(view):
            text = list(self.read_at_once(view).values())[-1]
            parts = [f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in parts_of(text)]
            parts = [part for part in parts if len(words(part)) >= FEWEST_WORDS_OF_A_PART]
            texts |= {part_of(view, n): part for n, part in enumerate([text, *parts[:MOST_PARTS]])}
        return {
            name: text for n, (name, text) in enumerate(texts.items()) if text not in list(texts.values())[:n]
        }

    def read_at_once(self, view: str) -> dict[str, str]:
        """Name a statement, and its version without the appeals in it where there are any."""
        text = self.texts[view]
        bare = _bare(text, self.known)
        return {view: text} if bare == text else {view: text, version_of(view, 1): bare}

    def text_of(self, view: str) -> str:
        """Return the text of a statement or of a version of one."""
        said = statement_of(view)
        if said in self.addressed_texts:
            return self.addressed_texts[said]
        return self.texts[said] if view == said else self.versions_of(said)[view]

    def _shorter(self, view: str) -> Shorter:
        return _shorter(self.texts[view], self.known, self.question, self.cosine)


def statements_of(
    text: str, judge_input: JudgeInput, cosine: Cosine | None, addressed: Iterable[str] = ()
) -> Statements:
    """Divide an answer into its statements, each told by itself what it is, so that none depends on the others.

    A statement is tied that shares a telling word with the question, the guidance or a reference's title, that is near
    the question in meaning or has a part that is, or that refers back: "this may be", "wait". Questions,
    greetings and other sentences that assert nothing are left out where anything else is said. Of very many statements
    the first are read singly; the rest in one piece, which counts like a statement.

    Args:
        text: the answer as it is shown.
        judge_input: what was asked, and its references.
        cosine: how near words are in meaning to others; None takes everything for far that may be.
        addressed: what passages addressed to a judge tell besides.
    """
    titles = [reference.title or "" for reference in judge_input.references]
    known = _telling(" ".join([judge_input.question, judge_input.guidance or "", *titles]))
    found = list(dict.fromkeys(_statements(text, known)))
    reasons = {one: non_claim_reason(one) for one in found}
    asserted = [one for one in found if reasons[one] in (None, *STILL_READ)]
    if "a question" in reasons.values() and all(len(words(one)) < FEWEST_WORDS for one in asserted):
        asserted = found  # Who asks and replies "Hardly." states what is asked.
    asserted = asserted or found or [text]

    def is_tied(said: str) -> bool:
        return bool(_telling(said) & known) or _refers_back(said) or _is_near(said, question, cosine)

    question = judge_input.question
    tied = [one for one in asserted if is_tied(one)]
    beside = [one for one in asserted if not is_tied(one)]
    known_here = question, known, cosine
    told = list(dict.fromkeys(one for passage in addressed for one in _statements(passage, known)))
    return Statements(
        _at_most(tied, MOST_TIED),
        _at_most(beside, MOST_BESIDE),
        tuple(asserted),
        *known_here,
        _at_most(told, MOST_ADDRESSED),
    )


def _refers_back(statement: str) -> bool:
    """Say whether a statement begins with what points back or with an order, and so speaks of what was asked."""
    first, *rest = [word.text for word in words(statement)[:4]] or [""]
    is_order = first in IMPERATIVES and not (rest and is_finite([first, *rest], 1))
    return first in REFERS_BACK or is_order


def _is_near(statement: str, question: str, cosine: Cosine | None) -> bool:
    """Say whether a statement, or a part of it, is near the question, so that nothing grown into it makes it far."""
    said = (statement, *parts_of(statement))
    return cosine is not None and any(cosine(one, (question,)) >= MOST_COSINE for one in said)


@lru_cache(maxsize=4096)
def _shorter(text: str, known: frozenset[str], question: str, cosine: Cosine | None) -> Shorter:
    def is_tied(said: str) -> bool:
        return bool(_telling(said) & known)

    def is_aside(part: str, rest: str) -> bool:
        if is_appeal(part, is_tied) or cosine is None:
            return True
        return len(words(part)) >= FEWEST_WORDS_OF_AN_ASIDE and is_far(part, rest, question, is_tied, cosine)

    def far(said: str) -> tuple[str, ...]:
        return all_asides(said) if cosine is None else far_asides(said, question, is_tied, cosine)

    bare = _bare(text, known)
    versions, left = without_asides(bare, is_aside)
    if left == bare:
        # Where every part is far from every other, what only appeals goes first.
        _, left = without_asides(bare, lambda part, _: is_appeal(part, is_tied))
        _, left = without_asides(left, is_aside)
    gist = next(iter(far(left)), left)
    # Without what was grown into it a statement has the asides of the statement that it was grown into.
    for _ in range(MOST_ROUNDS):
        _, left = without_asides(gist, is_aside)
        gist = next(iter(far(left)), left)
    found = dict.fromkeys(map(plain_text, (bare, *versions, *far(bare), gist)))
    return Shorter(tuple(version for version in found if version != text), plain_text(gist))


@lru_cache(maxsize=4096)
def _bare(text: str, known: frozenset[str]) -> str:
    return plain_text(without_appeals(text, lambda said: bool(_telling(said) & known)))


def _at_most(found: list[str], most: int) -> tuple[str, ...]:
    """Keep both ends of a long row single, and what is between them in one piece."""
    if len(found) <= most:
        return tuple(found)
    ahead, behind = most // 2, most - most // 2 - 1
    return (*found[:ahead], " ".join(found[ahead:-behind]), *found[-behind:])


def _statements(text: str, known: frozenset[str]) -> list[str]:
    """Split into clauses without what frames them; one or two words that tell nothing ("Usually.") are left out."""
    found, short = [], []
    plain = _NOTE_MARK.sub("", _TAG.sub("", _BLOCK_TAG.sub("\n\n", _CITATION.sub("", text))))
    plain = _GOES_ON.sub(" ", plain)
    plain = _QUOTE_MARKS.sub("", _QUOTED.sub(r"\n\n\1\n\n", plain))
    for span in sentences(plain):
        sentence = _TABLE_MARK.sub(" ", plain[span.start : span.end]).strip()
        sentence, asides = without_frames(sentence, lambda said: bool(_telling(said) & known))
        for clause in _clauses(plain_text(sentence)):
            statement = clause[:1].upper() + clause[1:]
            if len(words(statement)) >= FEWEST_WORDS or _telling(statement):
                found.append(statement)
            elif statement:
                short.append(statement)
        found += [f"{aside[:1].upper()}{aside[1:].rstrip('.')}." for aside in map(plain_text, asides)]
    return found or short


def _clauses(sentence: str) -> list[str]:
    """Cut a sentence at its semicolons, where that leaves some words on either side."""
    *clauses, last = _SEMICOLON.split(sentence)
    if any(len(words(clause)) < FEWEST_WORDS_OF_A_CLAUSE for clause in (*clauses, last)):
        return [sentence]
    return [*(f"{clause}." for clause in clauses), last]


def words_known() -> list[list[str]]:
    """Return the word lists that decide what is tied, and what appeals: they are part of what is asked."""
    return [*map(lines_of, WORD_LISTS), *(lines_of(name, ROOM) for name in LISTS)]


@cache
def _telling(text: str) -> frozenset[str]:
    """Return the comparison keys of the words that tell something, numbers aside."""
    telling = keys(words(text)).items()
    return frozenset(key for key, weight in telling if weight >= TELLS_SOMETHING and not key.isdigit())
