"""Which of several works of one name and year a citation means: its co-authors say so, or how many there are."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medassay.models.text.labels.author_names import ET_AL, JOINED, NAME, PARTICLES
from medassay.models.text.labels.surnames import surname_of

_MORE = re.compile(rf",?\s{ET_AL}|\sand\s(?:colleagues|co-?workers|others)\b", re.IGNORECASE)
_YEAR = re.compile(r"[\s,(\[]*(?:(?<!\d)(?:19|20)\d\d(?!\d)|\bn\.d\.|\bin press\b)")
_BETWEEN = re.compile(rf"\s?[,&;]\s?(?:{JOINED}\s|&\s?)?|\s{JOINED}\s")
_INITIALS = re.compile(r"(?:\s|\A)(?:[A-Z]{1,3}|(?:[A-Z]\.[\s-]?){1,4})\Z")
_FEWEST_OF_ET_AL = 3
# "A. Smith", "Smith A", "Smith, A. B."; an entry may write the name out: "Smith, Anna".
_FIRST_INITIAL = re.compile(
    rf"\W*(?:(?P<before>[A-ZÀ-ÖØ-Þ])\.[\s-]?(?:[A-Z]\.[\s-]?)*{PARTICLES}{NAME}"
    rf"|{PARTICLES}{NAME}(?:\s{NAME}(?=,))?(?:,\s(?P<written>[A-ZÀ-ÖØ-Þ])"
    r"|\s(?P<behind>[A-ZÀ-ÖØ-Þ])(?:\.|[A-Z]{0,2}(?=\W|\Z))))"
)


@dataclass(frozen=True, slots=True)
class AuthoredWork:
    """An entry of a reference list as author-year markers look for it.

    `shortened` says that its list of authors is not whole, `rank` how far the name it is found by is from its own,
    `initial` is that of the first author.
    """

    source_id: str | None
    surnames: tuple[str, ...] = ()
    shortened: bool = False
    rank: int = 0
    initial: str = ""


def shortens_authors(entry: str) -> bool:
    """Tell whether an entry of a reference list leaves authors out: `Li X, et al.`."""
    return re.search(rf"{ET_AL}|…|\.\.\.", entry[:300]) is not None


def first_initial(names: str) -> str:
    """Return the initial of the first of the authors that words begin with; nothing if none stands there."""
    found = _FIRST_INITIAL.match(names[:200])
    return (found["before"] or found["written"] or found["behind"]) if found else ""


def meant(works: Sequence[AuthoredWork], written: str) -> str | None:
    """Return the source of the work that fits `Li, Wang, & Chen, 2020` best; None where two fit as well."""
    nearest = min(work.rank for work in works)
    fitting = [work for work in works if work.rank == nearest]
    names = _YEAR.split(written, maxsplit=1)[0]
    cited = [
        surname_of(name) for part in _BETWEEN.split(_MORE.sub("", names)) if (name := _INITIALS.sub("", part))
    ]
    if initial := first_initial(names):
        fitting = _kept(fitting, lambda work: work.initial == initial)
    beside = set(cited[1:])
    if beside:
        fitting = _kept(fitting, lambda work: beside <= set(work.surnames[1:]))
    if _MORE.search(names):
        fitting = _kept(fitting, lambda work: work.shortened or len(work.surnames) >= _FEWEST_OF_ET_AL)
    else:
        fitting = _kept(fitting, lambda work: not work.shortened and len(work.surnames) == len(cited))
    sources = {work.source_id for work in fitting}
    return sources.pop() if len(sources) == 1 else None


def _kept(works: list[AuthoredWork], fits: Callable[[AuthoredWork], bool]) -> list[AuthoredWork]:
    """Return the works that fit; all of them if none does."""
    return [work for work in works if fits(work)] or works
