"""Words for relatives, in languages where such a word stands right before the relative's name."""

import re

from medassay.models.judges.phi.words import listed

RELATIVES = listed("relatives")
"""Words for a relative or a companion, without a possessive, in small letters."""
_GERMAN = (
    "mann frau ehemann ehefrau sohn tochter mutter vater bruder schwester oma opa enkel enkelin tante onkel "
    "lebensgefährte lebensgefährtin partner mama"
)
"""Before these a capital says little: every noun has one."""
BEFORE_A_NAME = RELATIVES - frozenset(_GERMAN.split()) - {"partner"}
_BEFORE = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(RELATIVES, key=len, reverse=True))})"
    r"(?: (?:is|named|called|heißt|s'appelle|se llama|si chiama))?[,:]?[ \t(]{1,2}$",
    re.IGNORECASE,
)


def ends_with_relative(text: str) -> bool:
    """Tell whether a text ends with a word for a relative, as before the relative's name."""
    return _BEFORE.search(text[-40:]) is not None
