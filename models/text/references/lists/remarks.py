"""What a line behind a reference list says of it: `These references were generated from memory; verify them.`."""

import re

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


def speaks_of_its_list(line: str) -> bool:
    """Tell whether a line behind a list does nothing but say how far its entries can be trusted."""
    if len(line) > _LONGEST or not (_REMARK.match(line) and _SAYS.search(line)):
        return False
    return all(_OF_THE_LIST.search(part) for part in _PARTS.split(line.strip(" *_()[]")))
