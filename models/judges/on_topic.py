"""The part of an answer that is tied to its question: what else it says may lower a mark, and never raise one.

A small model is moved by whatever stands beside a claim, be it praise, authority or padding. What it says of the whole
text is therefore held against what it says of the tied part alone, and the lower one counts.
"""

from functools import cache

from models.judges.judgement import JudgeInput
from models.nuggets.words import keys, lines_of, words
from models.text.kinds import non_claim_reason
from models.text.sentences import sentences

TELLS_SOMETHING = 1.0
FEWEST_WORDS = 3
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
WORD_LISTS = ("stop_words", "light_words", "synonyms")


def tied_part(text: str, judge_input: JudgeInput) -> str:
    """Return the sentences that share a telling word with the question, the guidance or a reference's title.

    A sentence that shares one with a sentence tied before it is tied too; so is advice to see a doctor, and a sentence
    of one or two words, which says something only together with the next. One that adds nothing to those before it but
    words that vouch is not. Where nothing is tied, the first sentence stands for the answer: it points back to the
    question ("It is taken once a week").
    """
    titles = [reference.title or "" for reference in judge_input.references]
    known = _telling(" ".join([judge_input.question, judge_input.guidance or "", *titles]))
    found = [text[span.start : span.end] for span in sentences(text)]
    long_ones = [sentence for sentence in found if len(sentence.split()) >= FEWEST_WORDS]
    if not any(_telling(sentence) & known for sentence in long_ones):
        known |= _telling(long_ones[0]) if long_ones else set()
    tied: list[str] = []
    said: set[str] = set()
    for sentence in found:
        telling = _telling(sentence)
        if len(sentence.split()) < FEWEST_WORDS or non_claim_reason(sentence) == "advice to see a doctor":
            tied.append(sentence)
        elif telling & known and (not said or telling - said - _vouching()):
            tied.append(sentence)
            known |= telling
            said |= telling
    holds_a_claim = any(len(sentence.split()) >= FEWEST_WORDS for sentence in tied)
    return " ".join(tied) if holds_a_claim and len(tied) < len(found) else text


def words_known() -> list[list[str]]:
    """Return the word lists that decide what is tied: they are part of what is asked."""
    return [VOUCHING.split(), *(lines_of(name) for name in WORD_LISTS)]


@cache
def _vouching() -> frozenset[str]:
    return frozenset(_telling(VOUCHING))


def _telling(text: str) -> set[str]:
    """Return the comparison keys of the words that tell something, numbers aside."""
    telling = keys(words(text)).items()
    return {key for key, weight in telling if weight >= TELLS_SOMETHING and not key.isdigit()}
