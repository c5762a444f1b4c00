"""Parts of PHI rules: kinds, patterns, validators, shape of a name."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal[
    "name", "date", "phone", "email", "record number", "insurance number", "address", "network address"
]
Look = Callable[[re.Match[str]], tuple[int, int] | None]

_SCRIPTS = ((0x41, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
CAPITAL = f"[{''.join(chr(c) for first, end in _SCRIPTS for c in range(first, end) if chr(c).isupper())}]"
GAP = r"[ \t\xa0]{1,3}"
PARTICLE = r"(?:van|von|vom|de|der|den|di|da|das|do|dos|du|del|della|la|le|el|al|bin|bint|ben|ibn|af|av|zu|ter|ten|y)"
PART = rf"{CAPITAL}(?:\.(?!\w)|(?:[^\W\d_]|['’-](?=[^\W\d_])){{0,40}}+(?!\w))"
"""A word of a name or an initial; it has no digit in it."""
RUN = rf"{PART}(?:(?:{GAP}|(?<=\.))(?:{PARTICLE}{GAP}){{0,3}}{PART}){{0,4}}"
"""Capitalised words in a row on one line: a name, or more than one."""
BEGIN = r"(?<![\w-])(?<!\w['’])"
"""Where a run may begin."""
NO_UNIT = (
    r"(?![ \t\xa0]?(?:%|°|(?i:mg|mcg|[µμ]g|g|kg|ml|l|dl|iu|units?|u|mmol|mmhg|h|hrs?|hours?|min|minutes?|days?|"
    r"weeks?|wks?|months?|years?|people|persons|patients?|participants|individuals|women|men|children|adults|cases|deaths|copies|"
    r"cells?|platelets|doses?|tablets?|regimen|daily|weekly|times|per|to|and \d|euros?|eur|usd|dollars|inhabitants|"
    r"tage?n?|wochen|jahre|monate)\b))"
)
"""A number behind which this does not hold is an amount; the next line is another thing."""
NO_MEASURE = (
    r"(?![ \t\xa0]?(?:%|°|(?i:mg|mcg|[µμ]g|g|kg|ml|dl|iu|units?|mmol|mmhg|people|persons|patients|participants|"
    r"individuals|women|men|children|adults|cases|deaths|copies|cells?|platelets|tablets?|euros?|eur|usd|dollars|"
    r"inhabitants|h(?!/)|hrs?|hours?|min|minutes?|days?|weeks?|wks?|months?|years?)\b))"
)
"""The same of what has the form of a date or a phone: words such as "to" and "per" behind it make it no amount."""


def whole(match: re.Match[str]) -> tuple[int, int]:
    """Take the group `found`, or all of the match where there is no such group."""
    return match.span("found") if "found" in match.re.groupindex else match.span()


def seen(pattern: str, then: str = "") -> str:
    """Look at what is found without passing it: another label may stand in it."""
    return rf"(?=(?P<found>{pattern}){then})"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind, a pattern whose group `found` is what is found, and a look that narrows it or refuses it."""

    kind: Kind
    written: str
    look: Look = whole
    flags: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return the compiled pattern: a run that sends nothing away never waits for it."""
        return _compiled(self.written, self.flags)


_compiled = cache(re.compile)


YEARS = re.compile(r"(?:19|20)\d{2}(?:[ /-](?:19|20)?\d{2})*")
"""Years and spans of years, which are nobody's number."""


def digits_in(text: str) -> int:
    """Count the digits."""
    return sum(character.isdigit() for character in text)
