"""Lines behind entries that are none: `These references were generated from memory; verify them.`, `**2. Doses**`."""

import re

from medassay.models.text.references.entries.bullets import without_bullet
from medassay.models.text.references.entries.evidence import Evidence, evidence_of, is_complete
from medassay.models.text.references.entries.labels import number_of

_REMARK = re.compile(
    r"[\s>*_(\[#⚠️-]*"
    r"(?:[*_]{0,2}(?:important\s)?(?:note|disclaimer|caveat|caution|warning)"
    r"[*_]{0,2}\s?[:：.–—-][*_\s]*)?"
    r"(?:please\s(?:note|be aware)(?:\sthat)?\s|note\sthat\s)?"
    r"(?:(?:all|some|any)\s(?:of\s)?)?(?:these|the|this|those|above|all|my|both|i|please|as an ai[^.;]{0,40})"
    r"\s[^.;!?\n]{0,80}?"
    r"\b(?:references?|citations?|sources?|bibliography|pmids?|dois?|links?)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:generated|memory|training data|verif(?:y|ied|ication)|double-?check(?:ed)?|hallucinat\w+|fictional"
    r"|fabricated|invented|illustrative|placeholders?"
    r"|may (?:not )?(?:be|contain|exist|include)|might (?:not )?(?:be|contain|exist)"
    r"|could not be (?:verified|checked)|cannot (?:verify|access|browse)|not been (?:verified|checked)"
    r"|inaccura\w+|incomplete)\b",
    re.IGNORECASE,
)
_OF_THE_LIST = re.compile(
    r"\b(?:references?|citations?|sources?|links?|pmids?|dois?|verify|check|them|memory|accura\w+|consult|confirm)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?<=[.;!?])\s+")
_LONGEST = 400
_FEWEST_WORDS = 4
_SENTENCE_ENDS = (".", "!", "?", "]", ")")
_WHOLE_BOLD = re.compile(r"(?:\*\*|__)[^*_]{1,120}(?:\*\*|__)\s*:?")


def speaks_of_its_list(line: str) -> bool:
    """Tell whether a line behind a list does nothing but say how far its entries can be trusted."""
    if len(line) > _LONGEST or not (_REMARK.match(line) and _SAYS.search(line)):
        return False
    return all(_OF_THE_LIST.search(part) for part in _PARTS.split(line.strip(" *_()[]")))


def titles_a_section(raw: str, label: re.Match[str], first: str) -> bool:
    """Tell whether a numbered line in a list titles the next section, `**2. Treatment**`: its entries look otherwise.

    Args:
        raw: The line.
        label: The number that it begins with.
        first: The first entry of the list.
    """
    marked = raw.startswith("#") or _WHOLE_BOLD.fullmatch(raw) is not None
    said = raw[label.end() :].strip(" *_#")
    if not marked or first.startswith("#") or _WHOLE_BOLD.fullmatch(first.partition("\n")[0].strip()):
        return False
    return not is_complete(said) and evidence_of(said) < Evidence.SURE


def goes_on_with_text(raw: str, label: re.Match[str], first: str, below: str) -> bool:
    """Tell whether a numbered line counts findings anew, `1. It helps [1].`, or titles the sentence on the line below.

    Args:
        raw: The line, which stands apart from the list.
        label: The number that it begins with.
        first: The first entry of the list, without its label.
        below: The next line.
    """
    body = raw[label.end() :]
    told = evidence_of(body)
    if told < Evidence.NOTHING and number_of(label) == 1:
        return evidence_of(first) >= Evidence.NOTHING
    return told < Evidence.SURE and not is_complete(body) and is_a_sentence(below)


def is_a_sentence(raw: str) -> bool:
    """Tell whether a line below a few words of its own is a sentence, so that they head it."""
    said = without_bullet(raw).rstrip("*_ ")
    sentence = said.endswith(_SENTENCE_ENDS) and len(said.split()) >= _FEWEST_WORDS
    return sentence and evidence_of(said) <= Evidence.NOTHING
