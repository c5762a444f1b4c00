"""Works by their authors and years: the label that each goes by, and readings that name more than these."""

import re
from collections.abc import Collection

from medassay.models.text.labels.author_names import (
    NAME,
    PARTICLES,
    first_author,
    initials_of,
    joins_beyond_doubt,
)
from medassay.models.text.labels.author_patterns import AUTHOR_YEAR
from medassay.models.text.labels.surnames import author_label
from medassay.models.text.references.works import is_a_body

YEARS = r"(?P<year>(?:19|20)\d\d[a-h]?)(?P<years>(?:[,;/]\s?(?:(?:19|20)\d\d[a-h]?|[a-h]))*)"
_FOR_A_BODY = re.compile(
    rf"\s*(?P<name>{PARTICLES}{NAME}),\s(?P<body>[A-Z][A-Z/]{{2,20}}),?\s(?P<year>(?:19|20)\d\d)\s*"
)
_DATED_BY_MONTH = re.compile(
    r"\s*(?P<body>[A-Z][A-Z/&-]{1,14}),?\s(?:\d{1,2}\.?\s)?"
    r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?\s(?:\d{1,2},\s)?(?P<year>(?:19|20)\d\d)\s*"
)
_WHOSE = re.compile(r"\s*(?P<what>[^,;:.\n]{3,60})(?:,|\s?:|\sby)\s(?P<whose>[^,;\n]{4,80})")
_A_WORK = re.compile(
    r"\b(?:position (?:stand|paper|statement)|statement|guidelines?|consensus|reviews?|trials?|stud(?:y|ies)"
    r"|meta-analys[ei]s|report|cohort|RCTs?)\s*\Z"
)
_NAME_OF_A_STUDY = re.compile(r"(?=\w*[A-Z]\w*[A-Z])[A-Z][A-Za-z\d]{2,14}(?:-[A-Z\d][A-Za-z\d]{0,9}){0,2}")


def work_label(names: str, year: str, labels: Collection[str]) -> str:
    """Name a work by its first author; by all of `Souza e Silva`, or by `Silva`, where the list has that alone."""
    first = author_label(first_author(names), year)
    last = names.rpartition(" e " if " e " in names else " y ")[2]
    others: tuple[str, ...] = (author_label(names, year), first, author_label(first_author(last), year))
    others = (*others, *(f"{short} {year}" for short in initials_of(names)))
    return next((label for label in others if label in labels), None) or _begun(first, labels) or first


def _begun(cited: str, labels: Collection[str]) -> str | None:
    """Find the one label that a shorter name begins: `esc 2021` is `esc guidelines 2021` where no other may be."""
    name, _, year = cited.rpartition(" ")
    longer = [
        label for label in labels if label.endswith(f" {year}") and label.startswith((f"{name} ", f"{name}/"))
    ]
    return longer[0] if len(longer) == 1 else None


def years_of(match: re.Match[str]) -> list[str]:
    """List the years of `2019, 2021` and `2020a, b`; a letter alone goes with the year before it."""
    years = [match["year"]]
    for year in re.findall(r"(?:(?:19|20)\d\d)?[a-h]?(?=[,;/]|$)", match["years"].lstrip(",;/ ")):
        if year := year.strip():
            years.append(year if len(year) > 1 else years[-1][:4] + year)
    return years


def behind_its_name(plain: str, labels: Collection[str]) -> re.Match[str] | None:
    """Read `ISSN position stand, Kreider 2017`, what a work is and whose, where a list has it or it says `et al.`.

    Of `NEAD, Meador 2013`, a trial by its name alone, the brackets around have to vouch for the rest.
    """
    behind = _WHOSE.fullmatch(plain)
    if behind is None:
        return None
    found = AUTHOR_YEAR.fullmatch(behind["whose"])
    if found is None or not (_A_WORK.search(behind["what"]) or _NAME_OF_A_STUDY.fullmatch(behind["what"])):
        return None
    alone = _NAME_OF_A_STUDY.fullmatch(behind["what"]) is not None and not is_a_body(behind["what"])
    known = work_label(found["names"], found["year"], labels) in labels
    return found if known or alone or joins_beyond_doubt(found["more"]) else None


def dated_by_month(plain: str) -> re.Match[str] | None:
    """Read `EMA, September 2023`, a body and when it said so, as `EMA, 2023`."""
    found = _DATED_BY_MONTH.fullmatch(plain)
    if found is None or not is_a_body(found["body"].partition("/")[0]):
        return None
    return AUTHOR_YEAR.fullmatch(f"{found['body']}, {found['year']}")


def for_a_body(plain: str) -> re.Match[str] | None:
    """Read `McCrindle, AHA 2017`, who wrote for a body, as `McCrindle, 2017`."""
    found = _FOR_A_BODY.fullmatch(plain)
    return (
        AUTHOR_YEAR.fullmatch(f"{found['name']}, {found['year']}")
        if found and is_a_body(found["body"])
        else None
    )
