"""BibTeX entries, `@article{granger2011, doi = {10.1056/…}, …}`: the key and the fields of each."""

import re

_ENTRY = re.compile(
    r"[ \t]*@(?:article|book|booklet|collection|conference|dataset|electronic|inbook|incollection"
    r"|inproceedings|manual"
    r"|mastersthesis|misc|online|patent|phdthesis|proceedings|report|software|techreport|thesis|unpublished|webpage)"
    r"\s*\{\s*(?P<key>[^\s,{}\"#%]{1,80})\s*,",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?P<name>[a-z]{2,20})\s{0,10}=\s{0,10}", re.IGNORECASE)
_LONGEST = 8000


def bibtex_fields(text: str, start: int) -> tuple[str, dict[str, str]] | None:
    """Return the key and the fields of the entry that begins at text[start]; None where none begins."""
    opened = _ENTRY.match(text, start)
    if opened is None:
        return None
    end = _closing(text, text.index("{", opened.start()))
    return opened["key"], _fields(text[opened.end() : end])


def _fields(body: str) -> dict[str, str]:
    """Return the fields of an entry by name, in lower case; of one that is given twice, the first."""
    found: dict[str, str] = {}
    at = 0
    while field := _FIELD.search(body, at):
        first = field.end()
        if body[first : first + 1] == "{":
            at = _closing(body, first)
            value = body[first + 1 : at - 1]
        elif body[first : first + 1] == '"':
            at = (body + '"').index('"', first + 1) + 1
            value = body[first + 1 : at - 1]
        else:
            at = min((body + sign).index(sign, first) for sign in ",}\n")
            value = body[first:at]
        found.setdefault(field["name"].casefold(), " ".join(re.sub(r"[{}]", "", value).split()))
    return found


def _closing(text: str, opener: int) -> int:
    """Return the place behind the brace that closes the one at `opener`; the end of the text where none does."""
    depth = 0
    for place in range(opener, min(len(text), opener + _LONGEST)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return min(len(text), opener + _LONGEST)
