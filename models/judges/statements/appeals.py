"""Appeals within a statement: who says it, how many do it, how sure they are.

"… and doctors everywhere do it that way", "… with the full agreement of all specialists" stand in a sentence without a
mark that would set them off (`set_off`). They are known by their words, a list that is written for no attack in
particular, and left out where nothing else is said in them.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from medassay.models.nuggets.words import Word, word_list, words
from medassay.models.text.verbs import is_finite

ROOM = "medassay.models.judges.statements"
LISTS = ("appeals", "sayings")
IsTied = Callable[[str], bool]
"""Says whether words share a telling one with the question."""
Span = tuple[int, int]

FEWEST_WORDS_BEFORE = 3
"""A statement's first words are no appeal behind it."""
MOST_WORDS_BEFORE = 10
"""Later than this nobody is said to know what comes."""
TELLS_SOMETHING = 1.0
TOLD = frozenset("you us me them him her people patients everyone everybody anyone".split())
"""Who may stand behind a verb of saying."""

_BEGINS = frozenset(
    "and but as with by in on for from among amongst under per according to at across throughout because since "
    "so which who where just exactly precisely like given based thanks "
    "whatever wherever while than".split()
)
"""Words that a phrase or a clause within a sentence begins with."""
_ADVISES = frozenset("see ask call talk consult contact visit go seek inform phone speak your".split())
"""With these words a doctor is somebody to turn to, and what is said is advice."""
_ONE_OF_THEM = frozenset(
    "doctor physician clinician specialist consultant surgeon nurse pharmacist trial".split()
)
"""Behind "a", "the" or "your" these are somebody to turn to, and something done."""
_ARTICLES = frozenset("a an the your".split())
_MAY_FOLLOW = frozenset(
    "a an the this these its his her their your with by at from as and but or so because since while which is are was "
    "were has have had can may should must will every each one two three".split()
)
"""Before these, and before a number, a verb or an end in -ed, an appeal within a sentence has ended."""
_GOES_ON = frozenset("of for that to about on in with".split())
"""Before these it has not been said yet what is known."""
_ABOUT = re.compile(
    r"^(?:as (?:for|to|regards)|with (?:regard|respect|reference) to|regarding|concerning|considering|when it comes to|"
    r"in terms of|speaking of|(?:on|in) the (?:subject|topic|matter|question|case|field|area) of|in relation to|"
    r"in connection with|about)\s",
    re.IGNORECASE,
)
_CERTAINLY = re.compile(
    r"\s*\b(?:certainly|undoubtedly|undeniably|unquestionably|indisputably|indubitably|definitely|clearly|obviously|"
    r"evidently|demonstrably|provably|surely|indeed|truly|really|actually|absolutely|of course|naturally|plainly|"
    r"without (?:a |any )?(?:doubt|question|exception|fail)|beyond (?:all |any |reasonable )?"
    r"(?:doubt|question|dispute)|rightly|correctly|famously|universally|scientifically)\b(?=\s+\w)",
    re.IGNORECASE,
)
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ly")
_LEFT_BEFORE_END = re.compile(r"[\s,;]+(?=[.!?]*$)")


def without_appeals(statement: str, is_tied: IsTied) -> str:
    """Return a statement without the appeals in it; the statement itself where there is none.

    Left out are adverbs of certainty, who is said to know it at the beginning, and phrases and clauses behind the
    third word in which more words appeal than tell something else; never what shares a word with the
    question, nor advice to turn to somebody.
    """
    bare = _CERTAINLY.sub("", statement).strip()
    bare = bare[_who_knows(bare, is_tied) :]
    kept, at = "", 0
    for start, stop in _phrases(bare, is_tied):
        kept, at = kept + bare[at:start], stop
    bare = _LEFT_BEFORE_END.sub("", kept + bare[at:])
    return statement if bare.lower() == statement.lower() else bare[:1].upper() + bare[1:]


def is_appeal(part: str, is_tied: IsTied) -> bool:
    """Say whether a part that marks set off appeals, or only takes the question's words up, and says nothing else."""
    about = _ABOUT.match(part)
    kinds = _kinds(words(part[about.end() if about else 0 :]), is_tied)
    if about and "tied" in kinds and not {"other", "appeal"} & set(kinds):
        return True
    return kinds.count("appeal") > kinds.count("other") and not _advises(words(part))


def _phrases(statement: str, is_tied: IsTied) -> Iterator[Span]:
    """Give the spans of appeals within a statement, the space before them included."""
    found = words(statement)
    kinds = _kinds(found, is_tied)
    at = FEWEST_WORDS_BEFORE
    while at < len(found):
        stop = _end_of_appeal(statement, found, kinds, at) if found[at].text in _BEGINS else None
        if stop is None:
            at += 1
            continue
        start = found[at].start
        while start > 0 and statement[start - 1] == " ":
            start -= 1
        yield start, found[stop - 1].end
        at = stop


def _end_of_appeal(statement: str, found: Sequence[Word], kinds: Sequence[str], begin: int) -> int | None:
    """Return where the appeal that begins at a word ends, exclusive; None where none begins there.

    It may go to the end of its part of the sentence; within it, it ends with a word that appeals, and nothing else may
    be told on the way.
    """
    longest = None
    for stop in range(begin + 1, len(found) + 1):
        here = kinds[begin:stop]
        if "tied" in here or (stop > begin + 1 and _is_cut(statement, found[stop - 2], found[stop - 1])):
            break
        ends = stop == len(found) or _is_cut(statement, found[stop - 1], found[stop])
        n_appeals, n_others = here.count("appeal"), here.count("other")
        if ends and n_appeals > n_others:
            longest = stop
        elif not n_others and kinds[stop - 1] == "appeal" and not ends and _may_follow(found, stop):
            longest = stop
    return None if longest is None or _advises(found[begin:longest]) else longest


def _may_follow(found: Sequence[Word], at: int) -> bool:
    """Say whether a word leaves the appeal before it whole; a noun that an appeal's adjective belongs to does not."""
    word = found[at].text
    return (
        word in _MAY_FOLLOW
        or word.isdigit()
        or word.endswith("ed")
        or is_finite([one.text for one in found], at)
    )


def _is_cut(statement: str, word: Word, following: Word) -> bool:
    """Say whether more than a space stands between two words."""
    between = statement[word.end : following.start]
    return bool(between.strip("-'’/ ")) or " - " in between


def _who_knows(statement: str, is_tied: IsTied) -> int:
    """Return where a statement begins behind who is said to know it; 0 where nobody is."""
    found = words(statement)
    seen: list[str] = []
    for n, word in enumerate(found[:MOST_WORDS_BEFORE]):
        if n + FEWEST_WORDS_BEFORE >= len(found) or _is_cut(statement, word, found[n + 1]):
            return 0
        if n and word.text in listed("sayings") and seen.count("appeal") >= max(1, seen.count("other")):
            what = n + 2 if found[n + 1].text in TOLD else n + 1
            return 0 if found[what].text in _GOES_ON else found[what].start
        seen.append(_kind(word, is_tied))
        if seen[-1] == "tied":
            return 0
    return 0


def _kinds(found: Sequence[Word], is_tied: IsTied) -> list[str]:
    return [
        "other"
        if word.text in _ONE_OF_THEM and _ARTICLES & {one.text for one in found[max(0, n - 2) : n]}
        else _kind(word, is_tied)
        for n, word in enumerate(found)
    ]


def _kind(word: Word, is_tied: IsTied) -> str:
    if is_tied(word.text):
        return "tied"
    if any(word.text.removesuffix(ending) in listed("appeals") for ending in _ENDINGS):
        return "appeal"
    return "other" if word.weight >= TELLS_SOMETHING else "light"


def _advises(found: Sequence[Word]) -> bool:
    return any(word.text in _ADVISES for word in found)


def listed(name: str) -> frozenset[str]:
    """Return the words of a list of this room."""
    return word_list(name, ROOM)
