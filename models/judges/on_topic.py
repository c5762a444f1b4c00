"""An answer as the single statements that a small judge reads, each by itself.

A small model is moved by whatever stands beside a claim, be it praise, authority, padding or another claim. Read one
by one, with the weakest reading counting, statements cannot lend each other anything: adding to an answer never raises
it. What frames a statement within its sentence is taken off (`frames`), and what is set off in it may be (`set_off`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from models.judges.frames import without_frames
from models.judges.judgement import JudgeInput
from models.judges.plain_text import plain_text
from models.judges.set_off import gist_of, shorter_versions
from models.judges.weakest import version_of
from models.nuggets.words import keys, lines_of, words
from models.text.kinds import non_claim_reason
from models.text.sentences import sentences

TELLS_SOMETHING = 1.0
FEWEST_WORDS = 3
FEWEST_WORDS_OF_A_CLAUSE = 4
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
_SEMICOLON = re.compile(r";\s+")
_TABLE_MARK = re.compile(r"\s*\|[\s|:-]*")


@dataclass(frozen=True, slots=True)
class Statements:
    """What an answer says: statements that share a telling word with the question, and those beside them.

    `shorter` holds the versions of a statement without what is set off in it, `gist` the one of them of which it is
    asked whether it answers the question; each by the statement.
    """

    tied: tuple[str, ...]
    beside: tuple[str, ...] = ()
    shorter: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gist: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """Name every statement, the tied ones first."""
        return {
            **{f"tied{n}": text for n, text in enumerate(self.tied)},
            **{f"beside{n}": text for n, text in enumerate(self.beside)},
        }

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """Name the shorter versions of every statement that has any, by the statement's name."""
        return {
            view: {version_of(view, n): version for n, version in enumerate(self.shorter[text], 1)}
            for view, text in self.texts.items()
            if text in self.shorter
        }

    def gist_view(self, view: str) -> str:
        """Name the view of which it is asked whether it answers the question: a version of a statement, or itself."""
        gist = self.gist.get(self.texts[view])
        return next((name for name, version in self.versions.get(view, {}).items() if version == gist), view)

    @property
    def every_view(self) -> dict[str, str]:
        """Name every statement and every version of one."""
        return self.texts | {name: text for of_one in self.versions.values() for name, text in of_one.items()}


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
    shorter, gist = {}, {}
    for one in asserted:
        if versions := shorter_versions(one, lambda said: bool(_telling(said) & known)):
            shorter[one] = tuple(dict.fromkeys(map(plain_text, versions)))
            gist[one] = plain_text(gist_of(one, lambda said: bool(_telling(said) & known)))
    return Statements(_at_most(tied, MOST_TIED), _at_most(beside, MOST_BESIDE), shorter, gist)


def _at_most(found: list[str], most: int) -> tuple[str, ...]:
    """Keep both ends of a long row single, and what is between them in one piece."""
    if len(found) <= most:
        return tuple(found)
    ahead, behind = most // 2, most - most // 2 - 1
    return (*found[:ahead], " ".join(found[ahead:-behind]), *found[-behind:])


def _statements(text: str, known: frozenset[str]) -> list[str]:
    """Split into clauses without what frames them; one or two words that tell nothing ("Usually.") are left out."""
    found, short = [], []
    plain = _NOTE_MARK.sub("", _TAG.sub("", _BLOCK_TAG.sub("\n\n", text)))
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
        found += asides
    return found or short


def _clauses(sentence: str) -> list[str]:
    """Cut a sentence at its semicolons, where that leaves some words on either side."""
    *clauses, last = _SEMICOLON.split(sentence)
    if any(len(words(clause)) < FEWEST_WORDS_OF_A_CLAUSE for clause in (*clauses, last)):
        return [sentence]
    return [*(f"{clause}." for clause in clauses), last]


def words_known() -> list[list[str]]:
    """Return the word lists that decide what is tied: they are part of what is asked."""
    return [lines_of(name) for name in WORD_LISTS]


@cache
def _telling(text: str) -> frozenset[str]:
    """Return the comparison keys of the words that tell something, numbers aside."""
    telling = keys(words(text)).items()
    return frozenset(key for key, weight in telling if weight >= TELLS_SOMETHING and not key.isdigit())
