"""Who wrote what an entry of a reference list names, and when."""

import re

from medassay.models.text.labels.surnames import surname_of
from medassay.models.text.references.entries.years import year_of

SURNAME = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]+)?),?\s(?:[A-Z]{1,3}\b|[A-Z]\.)")
_PARTICLES = (
    r"(?:(?:[dD]e|[vV]an|[vV]on|[dD]er|[dD]en|la|le|[dD]i|[dD]u|dos|da|del|della|[aA]l|[eE]l"
    r"|ter|ten|zu)[\s-])*"
)
_SURNAME = r"(?:[A-ZÀ-ÖØ-Þ]['’])?[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]*[a-zà-ÿ])?"
_INITIALS = r"(?:(?:[A-ZÀ-ÖØ-Þ]\.[\s-]?){1,4}|[A-ZÀ-ÖØ-Þ]{1,4}(?![^\W\d_])\.?(?:-?[A-Z]\.?)?)"
_GIVEN = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:-[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+)?"
_PERSON = rf"{_PARTICLES}{_SURNAME}(?:,?\s{_INITIALS}|,\s{_GIVEN}(?:\s[A-Z]\.)?)(?:\s(?:Jr|Sr|II|III)\.?)?"
_PERSON_FIRST = rf"(?:[A-Z]\.[\s-]?){{1,4}}\s?{_PARTICLES}{_SURNAME}"
_NAME_ENDS = r"(?=[.,:;&(\s]|\Z)"
# Atomic, as are the repetitions of it: a long list of names must not be tried in every other way.
_MORE_PEOPLE = (
    r"(?>(?:\s?[,;&]\s?(?:(?:and|&|und|et)\s)?|\s(?:and|und|u\.|et)\s)"
    rf"(?:{_PERSON}|{_PERSON_FIRST}|{_SURNAME}){_NAME_ENDS})"
)
_REST_OF_PEOPLE = (
    r"(?:,?\s?(?:…|\.\.\.)|,?\set\sal\b\.?|\sand\s(?:colleagues|others)|[,;]\s(?:for\s)?(?:the\s)?[^.;:]{3,80}"
    r"(?:Group|Investigators|Collaborat\w+|Committee|Study|Trialists[^.;:]{0,40})){0,2}"
)
AUTHORS = re.compile(
    rf"(?>(?:{_PERSON}|{_PERSON_FIRST}|{_PARTICLES}{_SURNAME}(?=,?\set\sal\b)){_NAME_ENDS})"
    rf"{_MORE_PEOPLE}{{0,40}}+{_REST_OF_PEOPLE}"
    r"(?:,?\s\(?eds?\.?\)?)?(?=[.,:;(\s]|\Z)"
)
_INVERTED = re.compile(
    rf"\W*(?P<surname>{_PARTICLES}{_SURNAME}),\s{_GIVEN}(?:\s[A-Z]\.)*(?=,\s|\.\s|\s(?:and|&)\s|\set\sal)"
)

_BESIDE_INVERTED = re.compile(
    rf"(?:,\s(?:(?:and|&)\s)?|\s(?:and|&)\s)[A-ZÀ-ÖØ-Þ][\w’'-]+\s(?:[A-Z]\.\s?)*(?P<surname>{_PARTICLES}{_SURNAME})"
)

# "Jones 2021: PMID 123", "Smith and Lee (2020) – …": an entry named as it is cited.
_AS_CITED = re.compile(
    rf"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){{0,5}})(?:\s(?:and|&)\s{_SURNAME}|,?\set\sal\.?)?,?\s\(?(?:19|20)\d\d"
)
_ET_AL = re.compile(rf"\b({_SURNAME}),?\set\sal\b")
_PARTS = re.compile(r"\.\s|\)\s?[.,]?\s|\s[–—|-]\s|[”\"]\s")
_INITIALS_FIRST = re.compile(rf"(?:\b[A-ZÀ-ÖØ-Þ]\.[\s-]?){{1,4}}({_PARTICLES}{_SURNAME})")
_FULL_NAME = rf"[A-ZÀ-ÖØ-Þ][a-zà-ÿ'’-]+(?:\s[A-Z]\.?)?\s{_PARTICLES}[A-ZÀ-ÖØ-Þ][\w'’-]+"
_IN_FULL = re.compile(
    rf"{_FULL_NAME}(?:(?:,\s(?:(?:and|&)\s)?|\s(?:and|&)\s){_FULL_NAME}){{1,30}}+(?:,?\set\sal)?"
)


# An organisation as APA writes it: "Mayo Clinic. (2022). …".
_OPENS_WITH_A_BODY = re.compile(
    r"\W{0,3}[A-Z][^()\n]{1,150}\.\s\((?:(?:19|20)\d\d[a-h]?\b|n\.d\.)[^()\n]{0,20}\)\."
)
# "van Nood, Els, et al. …", as MLA writes it.
_OPENS_WITH_A_PARTICLE = re.compile(
    r"\W{0,3}(?:(?:van|von|de|der|den|di|la|le|du|el|al)\s){1,2}[A-Z][\w’'-]+,\s[A-Z]"
)
# "Part B: Aspirin prevents stroke" has a part and no author.
_LETTERED = re.compile(
    r"[\W_]*(?:Part|Section|Chapter|Question|Option|Scenario|Case|Step|Group|Arm|Appendix|Phase|Class|Grade|Type"
    r"|Stage|Topic|Vitamin|Hepatitis|Influenza|Protein|Factor|Plan|Answer|Point|Box|Figure|Table)\s[A-Z]{1,3}\b[.:)]"
)


def begins_with_authors(words: str) -> bool:
    """Tell whether names of authors come first and something else stops them."""
    authors = AUTHORS.match(words)
    if authors is None or _LETTERED.match(words):
        return False
    after = words[authors.end() : authors.end() + 12]
    return re.match(r"[.:]|[,;]\s|\s?\((?:19|20)\d\d|\s?\Z|\.?\s(?:19|20)\d\d", after) is not None or (
        words[authors.end() - 1] == "." and after[:1].isspace() and after[1:2].isupper()
    )


def opens_with_authors(raw: str) -> bool:
    """Tell whether a line begins as an entry does: with authors, a body or a name with a particle."""
    return bool(
        begins_with_authors(raw) or _OPENS_WITH_A_BODY.match(raw) or _OPENS_WITH_A_PARTICLE.match(raw)
    )


def is_only_authors(words: str) -> bool:
    """Tell whether words are the names of authors and no more."""
    authors = AUTHORS.match(words.strip())
    return authors is not None and not words.strip()[authors.end() :].strip(" .,;:")


def authors_and_year(body: str) -> tuple[tuple[str, ...], str | None]:
    """Read the authors' surnames and the year, wherever the style puts them."""
    year = year_of(body)
    if inverted := _INVERTED.match(body):
        return _inverted_surnames(body, inverted), year
    lead = (
        body[: body.find("(", 0, 400)]
        if re.search(r"\((?:19|20)\d\d", body[:400])
        else body[:300].split(". ", 1)[0]
    )
    shortened = _ET_AL.search(lead)
    if shortened and not SURNAME.search(lead, _part_of(lead, shortened.start()), shortened.end()):
        return (surname_of(shortened[1]),), year  # of "Smith et al., N Engl J Med 2005" none is called Engl
    surnames = SURNAME.findall(lead) or _initials_first(body) or _names_in_full(lead) or _behind_a_title(body)
    if not surnames and (
        first := re.match(
            r"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){0,5}?)(?=\s(?:and\b|&|et\b)|,|\.|\s\()",
            lead.rstrip() + ".",
        )
        or _AS_CITED.match(body)
        or _ET_AL.search(body[:300])
    ):
        surnames = [first[1]]
    return tuple(surname_of(name) for name in surnames), year


def _part_of(lead: str, at: int) -> int:
    """Say where the part of an entry begins that a place is in, behind a title or a link: `Vitamin D. Novak et al.`."""
    return max((stop.end() for stop in _PARTS.finditer(lead, 0, at)), default=0)


def other_spellings(body: str, surnames: tuple[str, ...]) -> tuple[str, ...]:
    """Return how else the first author may be written: Mueller for Müller, and Müller for Mueller."""
    if not surnames:
        return ()
    written = next((w for w in re.findall(r"[^\W\d_]+", body[:80]) if surname_of(w) == surnames[0]), "")
    spelled_out = written.casefold()
    for sign, two in (("ä", "ae"), ("ö", "oe"), ("ø", "oe"), ("ü", "ue")):
        spelled_out = spelled_out.replace(sign, two)
    found = (spelled_out if written else "", re.sub(r"(?<=[^\W_])([aou])e(?=[^\W_])", r"\1", surnames[0]))
    return tuple(name for name in dict.fromkeys(found) if name and name != surnames[0])


def _initials_first(body: str) -> list[str]:
    """Read `J. Smith, A. Doe, and B. Ray, "One," …`."""
    authors = AUTHORS.match(body) if _INITIALS_FIRST.match(body) else None
    return _INITIALS_FIRST.findall(authors[0]) if authors else []


def _names_in_full(lead: str) -> list[str]:
    """Read `John Smith, Anna Doe, Bob Ray`; one name alone may be a body's."""
    found = _IN_FULL.fullmatch(lead.strip(" .*_"))
    return re.findall(rf"\s({_PARTICLES}[A-ZÀ-ÖØ-Þ][\w'’-]+)(?=,|\s(?:and|&)|\Z)", found[0]) if found else []


def _behind_a_title(body: str) -> list[str]:
    """Read the authors of `Title. Smith J, Doe A. BMJ. 2020`."""
    parts = body[:400].split(". ")
    return SURNAME.findall(parts[1]) if len(parts) > 2 and is_only_authors(parts[1]) else []


def _inverted_surnames(body: str, first: re.Match[str]) -> tuple[str, ...]:
    """Read the surnames of `Smith, Bob, Karl Lee, and Ron Ray`, of whom the first alone is turned round."""
    surnames = [surname_of(first["surname"])]
    at = first.end()
    while beside := _BESIDE_INVERTED.match(body, at):
        surnames.append(surname_of(beside["surname"]))
        at = beside.end()
    return tuple(surnames)
