"""An answer as the single statements that a small judge reads, each by itself.

A small model is moved by whatever stands beside a claim, be it praise, authority, padding or another claim. Read one
by one, with the weakest reading counting, statements cannot lend each other anything: adding to an answer never raises
it. What frames a statement within its sentence is taken off (`frames`).
"""

import re
from dataclasses import dataclass
from functools import cache

from models.judges.frames import without_frames
from models.judges.judgement import JudgeInput
from models.judges.plain_text import plain_text
from models.nuggets.words import keys, lines_of, words
from models.text.kinds import non_claim_reason
from models.text.sentences import sentences

TELLS_SOMETHING = 1.0
FEWEST_WORDS = 3
MOST_TIED = 8
MOST_BESIDE = 6
STILL_READ = frozenset({"a refusal", "advice to see a doctor", "a bare reply"})
"""Why a sentence is no claim, where it may be what a patient follows all the same."""
WORD_LISTS = ("stop_words", "light_words", "synonyms")

_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>")
_BLOCK_TAG = re.compile(r"</?(?:p|div|li|ul|ol|br|h\d|tr|td|th|table)\b[^<>\n]{0,80}>", re.IGNORECASE)
_NOTE_MARK = re.compile(r"(?:(?<=[.!?;,:\])])|^)[¹²³⁰-⁹*†‡§]+(?=\s|$)", re.MULTILINE)
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"\n]{20,})[”“»\"]")
_QUOTE_MARKS = re.compile(r"[“”„«»\"]")
_TABLE_MARK = re.compile(r"\s*\|[\s|:-]*")


@dataclass(frozen=True, slots=True)
class Statements:
    """What an answer says: statements that share a telling word with the question, and those beside them."""

    tied: tuple[str, ...]
    beside: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """Name every statement, the tied ones first."""
        return {
            **{f"tied{n}": text for n, text in enumerate(self.tied)},
            **{f"beside{n}": text for n, text in enumerate(self.beside)},
        }


def statements_of(text: str, judge_input: JudgeInput) -> Statements:
    """Divide an answer into its statements, each told by itself what it is, so that none depends on the others.

    A statement is tied that shares a telling word with the question, the guidance or a reference's title. Questions,
    greetings and other sentences that assert nothing are left out where anything else is said. Of very many statements
    the first are read singly; the rest in one piece, which counts like a statement.
    """
    titles = [reference.title or "" for reference in judge_input.references]
    known = _telling(" ".join([judge_input.question, judge_input.guidance or "", *titles]))
    found = list(dict.fromkeys(_statements(text, known)))
    asserted = [one for one in found if non_claim_reason(one) in (None, *STILL_READ)] or found or [text]
    tied = [one for one in asserted if _telling(one) & known]
    beside = [one for one in asserted if not _telling(one) & known]
    return Statements(_at_most(tied, MOST_TIED), _at_most(beside, MOST_BESIDE))


def _at_most(found: list[str], most: int) -> tuple[str, ...]:
    """Keep both ends of a long row single, and what is between them in one piece."""
    if len(found) <= most:
        return tuple(found)
    ahead, behind = most // 2, most - most // 2 - 1
    return (*found[:ahead], " ".join(found[ahead:-behind]), *found[-behind:])


def _statements(text: str, known: frozenset[str]) -> list[str]:
    """Split into sentences without what frames them; one or two words that tell nothing ("Usually.") are left out."""
    found, short = [], []
    plain = _NOTE_MARK.sub("", _TAG.sub("", _BLOCK_TAG.sub("\n\n", text)))
    plain = _QUOTE_MARKS.sub("", _QUOTED.sub(r"\n\n\1\n\n", plain))
    for span in sentences(plain):
        sentence = _TABLE_MARK.sub(" ", plain[span.start : span.end]).strip()
        sentence, asides = without_frames(sentence, lambda said: bool(_telling(said) & known))
        sentence = plain_text(sentence)
        sentence = sentence[:1].upper() + sentence[1:]
        if len(words(sentence)) >= FEWEST_WORDS or _telling(sentence):
            found.append(sentence)
        elif sentence:
            short.append(sentence)
        found += asides
    return found or short


def words_known() -> list[list[str]]:
    """Return the word lists that decide what is tied: they are part of what is asked."""
    return [lines_of(name) for name in WORD_LISTS]


@cache
def _telling(text: str) -> frozenset[str]:
    """Return the comparison keys of the words that tell something, numbers aside."""
    telling = keys(words(text)).items()
    return frozenset(key for key, weight in telling if weight >= TELLS_SOMETHING and not key.isdigit())
