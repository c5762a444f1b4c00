"""What stands before the surname of a narrative citation: `Due Bruun et al.`, `Y. Wang et al.`, `van der Berg`."""

import re
from collections.abc import Collection

from medassay.models.text.labels.author_names import NAME, first_author
from medassay.models.text.labels.surnames import author_label
from medassay.models.text.language.verbs import DETERMINERS, PREPOSITIONS, PRONOUNS, SUBORDINATORS

# In "vitamin D. Smith et al." the letter ends another sentence.
_INITIALS = re.compile(
    r"(?:\A|[.!?:;,(]\s|\n|\b(?:and|but|by|from|in|of|that|to|while|whereas)\s)"
    r"(?P<initials>(?:[A-ZÀ-ÖØ-Þ]\.[ -]?){1,3})\Z"
)
_PARTICLES = re.compile(
    r"(?<!\w)(?:[Vv][ao]n\s(?:de[nrm]?|het|'t)\s|(?:Van|Von|El|Al|De|Di|Da|Du|Le|La|Dos|Ten|Ter)\s)\Z"
)
_ANOTHER_NAME = re.compile(rf"(?<![\w'’.-])(?P<name>{NAME})\s\Z")
_NO_NAMES = (
    PREPOSITIONS
    | PRONOUNS
    | SUBORDINATORS
    | DETERMINERS
    | frozenset(
        "and but so yet or nor however later also meanwhile then thus hence moreover dr drs prof professor authors "
        "researchers investigators study trial review group see similarly conversely instead overall indeed still "
        "first second third finally subsequently earlier before after since until as both again here".split()
    )
)
_LONGEST = 40


def start_of_names(text: str, at: int, year: str, labels: Collection[str]) -> tuple[int, str | None]:
    """Say where the names begin whose last surname stands at a place, and the label of a longer surname.

    A capital may also open the sentence, "Recently Smith et al."; what no author is called stays out.
    """
    before = text[max(0, at - _LONGEST) : at]
    if not text[at : at + 2].isupper() and (initials := _INITIALS.search(before)):
        return at - len(initials["initials"]), None
    if particles := _PARTICLES.search(before):
        return at - len(particles[0]), None
    another = _ANOTHER_NAME.search(before)
    if another is None:
        return at, None
    names = f"{another['name']} {first_author(text[at : at + _LONGEST].split(' ')[0])}"
    label = author_label(names, year)
    word = another["name"].casefold()
    if label in labels:
        return at - len(another[0]), label
    if labels or word in _NO_NAMES or word.endswith("ly") or another["name"].isupper():
        return at, None
    return at - len(another[0]), label
