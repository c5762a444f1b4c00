"""Who wrote what an entry of a reference list names, and when."""

import re

from models.text.markers.marks import surname_of
from models.text.references.entry_years import year_of

SURNAME = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]+)?),?\s(?:[A-Z]{1,3}\b|[A-Z]\.)")
_PARTICLES = (
    r"(?:(?:[dD]e|[vV]an|[vV]on|[dD]er|[dD]en|la|le|[dD]i|[dD]u|dos|da|del|della|[aA]l|[eE]l"
    r"|ter|ten|zu)[\s-])*"
)
_SURNAME = r"(?:[A-ZÀ-ÖØ-Þ]['’])?[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[-'’\s][A-ZÀ-ÖØ-Þ][^\W\d_]*[a-zà-ÿ])?"
_INITIALS = r"(?:(?:[A-ZÀ-ÖØ-Þ]\.[\s-]?){1,4}|[A-ZÀ-ÖØ-Þ]{1,4}(?![^\W\d_])\.?(?:-?[A-Z]\.?)?)"
_PERSON = rf"{_PARTICLES}{_SURNAME}(?:,?\s{_INITIALS}|,\s[A-Z][a-z]+(?:\s[A-Z]\.)?)(?:\s(?:Jr|Sr|II|III)\.?)?"
_PERSON_FIRST = rf"(?:[A-Z]\.[\s-]?){{1,4}}\s?{_PARTICLES}{_SURNAME}"
_NAME_ENDS = r"(?=[.,:;&(\s]|\Z)"
# Atomic, as are the repetitions of it: a long list of names must not be tried in every other way.
_MORE_PEOPLE = (
    r"(?>(?:\s?[,;&]\s?(?:(?:and|&|und|et)\s)?|\s(?:and|und|et)\s)"
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
    rf"\W*(?P<surname>{_PARTICLES}{_SURNAME}),\s[A-Z][a-z]+(?:\s[A-Z]\.)*(?=,\s|\.\s|\s(?:and|&)\s|\set\sal)"
)

_BESIDE_INVERTED = re.compile(
    rf"(?:,\s(?:(?:and|&)\s)?|\s(?:and|&)\s)[A-ZÀ-ÖØ-Þ][\w’'-]+\s(?:[A-Z]\.\s?)*(?P<surname>{_PARTICLES}{_SURNAME})"
)


def begins_with_authors(words: str) -> bool:
    """Tell whether names of authors come first and something else stops them."""
    authors = AUTHORS.match(words)
    if authors is None:
        return False
    after = words[authors.end() : authors.end() + 12]
    return re.match(r"[.:]|[,;]\s|\s?\((?:19|20)\d\d|\s?\Z|\.?\s(?:19|20)\d\d", after) is not None or (
        words[authors.end() - 1] == "." and after[:1].isspace() and after[1:2].isupper()
    )


def is_only_authors(words: str) -> bool:
    """Tell whether words are the names of authors and no more."""
    authors = AUTHORS.match(words.strip())
    return authors is not None and not words.strip()[authors.end() :].strip(" .,;:")


def authors_and_year(body: str) -> tuple[tuple[str, ...], str | None]:
    """Read the authors' surnames and the year, wherever the style puts them."""
    year = year_of(body)
    lead = (
        body[: body.find("(", 0, 400)]
        if re.search(r"\((?:19|20)\d\d", body[:400])
        else body[:300].split(". ", 1)[0]
    )
    if inverted := _INVERTED.match(body):
        return _inverted_surnames(body, inverted), year
    surnames = [surname_of(name) for name in SURNAME.findall(lead)]
    if not surnames and (
        first := re.match(
            r"\W*([A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s[A-Z][\w'’-]+){0,5}?)(?=\s(?:and\b|&|et\b)|,|\.|\s\()",
            lead.rstrip() + ".",
        )
    ):
        surnames = [surname_of(first[1])]
    return tuple(surnames), year


def _inverted_surnames(body: str, first: re.Match[str]) -> tuple[str, ...]:
    """Read the surnames of `Smith, Bob, Karl Lee, and Ron Ray`, of whom the first alone is turned round."""
    surnames = [surname_of(first["surname"])]
    at = first.end()
    while beside := _BESIDE_INVERTED.match(body, at):
        surnames.append(surname_of(beside["surname"]))
        at = beside.end()
    return tuple(surnames)
