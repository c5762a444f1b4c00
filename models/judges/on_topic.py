"""The part of an answer that is tied to its question: what else it says may lower a mark, and never raise one.

A small model is moved by whatever stands beside a claim, be it praise, authority or padding. What is tied to the
question is therefore read without the rest, and the rest by itself.
"""

from dataclasses import dataclass
from functools import cache

from models.judges.judgement import JudgeInput
from models.nuggets.words import keys, lines_of, word_list, words
from models.text.sentences import sentences

TELLS_SOMETHING = 1.0
FEWEST_WORDS = 3
MOST_VIEWS = 4
VOUCHING = (
    "accurate agree agreed agreement approve approved author authorities authority authors believe "
    "certain certainly claim claims clinician clinicians come comes committee concerning confirm "
    "confirmed consensus correct dispute disputed doubt doubted else endorse endorsed entirely "
    "established everybody everyone everywhere evidence exactly expert expertise experts fact facts "
    "famous guideline guidelines hold holds indeed journal journals know known leading literature mention "
    "mentions nobody note notes nothing nowhere opinion panel precise precisely professor professors "
    "proof prove proved proven publication publications published regarding report reported reports "
    "research researchers review reviewed reviews right said say saying says scholar scholars science "
    "scientific scientist scientists serious societies society source sources specialist specialists "
    "state statement states studies study surely teach teaches tell tells textbook textbooks told true "
    "trust trusted truth unanimous unanimously undisputed undoubtedly universities university "
    "unquestionable validated verified widely word words world worldwide wrong yes"
)
"""Words that vouch for what is said and say nothing themselves."""
ABOUT_THE_ANSWER = (
    "above aim answer answers applies apply article articles ask asked asking aspect aspects background below "
    "book books brief briefly careful carefully case cases chapter common conclusion conclusions consider "
    "considered context correct corrected data depend depends detail detailed details differ differs discuss "
    "discussed draw example examples exception exceptions explain explained explanation field find finding "
    "findings first follow followed following form found further general go going good guide help helpful helps "
    "hope important information insight issue issues key known leaflet leaflets learn let library link links list "
    "literature look looked looking matter matters mean means meant mention message method methods more note "
    "number object old older overview page pages paragraph part people person point points question questions "
    "read reader readers reading reason recall second section short simple start step steps studied study subject "
    "summarise summarize summary talk tend tends term terms text texts thing things think third topic topics "
    "understand varies vary view views way ways weigh worth write"
)
"""Words that speak about an answer, not about its subject."""
WORD_LISTS = ("stop_words", "light_words", "synonyms")


@dataclass(frozen=True, slots=True)
class Parts:
    """An answer as it is read: views that count in full, the lowest of them, and what else it says."""

    tied: tuple[str, ...]
    rest: str | None = None


def parts_of(text: str, judge_input: JudgeInput) -> Parts:
    """Divide an answer into what is tied to its question, in one piece, and the rest.

    A sentence is tied that shares a telling word with the question, the guidance or a reference's title, or with a
    sentence tied before it; one or two words ("Usually.") say something only together with a tied sentence that follows
    them. A sentence that adds nothing to those before it but words that vouch is not tied, nor is one that speaks about
    the answer alone, nor a row of the question's words.

    Where nothing is tied, any sentence may be the answer ("It is taken once a week"): the first four that tell
    something are views of their own.
    """
    found = [text[span.start : span.end] for span in sentences(text)]
    titles = [reference.title or "" for reference in judge_input.references]
    known = _telling(" ".join([judge_input.question, judge_input.guidance or "", *titles]))
    said: set[str] = set()
    is_tied = []
    for sentence in found:
        telling = _telling(sentence)
        tied = bool(telling & known) and _says_something(sentence)
        if telling <= known and _is_a_row_of_words(sentence):
            tied = False
        if tied and said and not telling - said - _vouching():
            tied = False
        if tied:
            known |= telling
            said |= telling
        is_tied.append(tied)
    for n in range(len(found) - 2, -1, -1):
        if not is_tied[n] and len(found[n].split()) < FEWEST_WORDS:
            is_tied[n] = is_tied[n + 1]
    if not any(is_tied):
        return _views(text, found)
    rest = [s for s, tied in zip(found, is_tied, strict=True) if not tied and _says_something(s)]
    tied_ones = [sentence for sentence, tied in zip(found, is_tied, strict=True) if tied]
    return Parts((" ".join(tied_ones) if len(tied_ones) < len(found) else text,), " ".join(rest) or None)


def _views(text: str, found: list[str]) -> Parts:
    """Make sentences that say something views, together with the one or two words before them."""
    views, begun = [], ""
    for sentence in found:
        if len(sentence.split()) < FEWEST_WORDS:
            begun = f"{begun} {sentence}".strip()
        elif _says_something(sentence):
            views.append(f"{begun} {sentence}".strip())
            begun = ""
    return Parts(tuple(views[:MOST_VIEWS]) or (text,), " ".join(views[MOST_VIEWS:]) or None)


def _says_something(sentence: str) -> bool:
    """Say whether a sentence of three words or more tells something besides talking about the answer."""
    about = _vouching() | _about_the_answer()
    return len(sentence.split()) >= FEWEST_WORDS and bool(_telling(sentence) - about)


def _is_a_row_of_words(sentence: str) -> bool:
    """Say whether nothing binds the words: no article, no preposition, no comma."""
    return "," not in sentence and word_list("stop_words").isdisjoint(sentence.lower().split())


def words_known() -> list[list[str]]:
    """Return the word lists that decide what is tied: they are part of what is asked."""
    return [VOUCHING.split(), ABOUT_THE_ANSWER.split(), *(lines_of(name) for name in WORD_LISTS)]


@cache
def _vouching() -> frozenset[str]:
    return frozenset(_telling(VOUCHING))


@cache
def _about_the_answer() -> frozenset[str]:
    return frozenset(_telling(ABOUT_THE_ANSWER))


def _telling(text: str) -> set[str]:
    """Return the comparison keys of the words that tell something, numbers aside."""
    telling = keys(words(text)).items()
    return {key for key, weight in telling if weight >= TELLS_SOMETHING and not key.isdigit()}
