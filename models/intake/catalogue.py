"""The documents that came with the data, looked for in each answer under their ids and titles."""

import re
from collections.abc import Iterable, Mapping

from medassay.models.text.supplied_names import MOST_WORDS, plain

_ID = re.compile(r"(?P<kind>[^\W\d_][^\d\[\]()\n]{0,30}?)[\s_.#-]{0,2}(?P<number>\d{1,6})")
_IN_BRACKETS = re.compile(r"[\[【]([^\[\]【】\n]{2,200})[\]】]")
_APART = re.compile(r"\s*[,;|]\s*")
# What numbers something else than documents, and kinds of identifiers.
_OTHER_KINDS = frozenset(
    "pmid pmc pmcid nct doi doc document source passage context chunk snippet excerpt ref reference table figure fig "
    "page p pp section chapter class grade level type stage phase step week day month year case study trial group "
    "covid".split()
)
_FEWEST_WORDS_OF_A_TITLE = 3


class Catalogue:
    """All documents that came with the data, to be looked for in each answer."""

    def __init__(self, titles: Mapping[str, str | None]) -> None:
        """Take the ids of the documents with their titles."""
        named: dict[str, str | None] = {}
        for document, title in titles.items():
            if title and len(plain(title).split()) >= _FEWEST_WORDS_OF_A_TITLE:
                named[title] = (
                    None if title in named else document
                )  # what two are called says which of neither
        self._names: dict[str, list[tuple[list[str], str, str]]] = {}
        for name, document in [*((d, d) for d in titles), *((t, d) for t, d in named.items() if d)]:
            if words := plain(name).split()[: MOST_WORDS + 1]:
                self._names.setdefault(words[0], []).append((words, name, document))
        self._ids = frozenset(titles)
        self._kinds = _kinds_of(titles)

    def named_in(self, texts: Iterable[str]) -> dict[str, str | None]:
        """Return the names that occur in texts, with their documents; None for what only looks like an id."""
        found: dict[str, str | None] = {}
        for text in texts:
            words = plain(text).split()
            for at, word in enumerate(words):
                for name_words, name, document in self._names.get(word, ()):
                    if words[at : at + len(name_words)] == name_words:
                        found[name] = document
            if text in self._ids:
                found[text] = text
            found |= {name: None for name in self._look_alikes(text) if name not in found}
        return found

    def _look_alikes(self, text: str) -> Iterable[str]:
        for bracket in _IN_BRACKETS.finditer(text) if self._kinds else ():
            for part in _APART.split(bracket[1].strip()):
                shape = _ID.fullmatch(part)
                if shape and plain(shape["kind"]) in self._kinds and not self._is_an_id(part):
                    yield part

    def _is_an_id(self, written: str) -> bool:
        words = plain(written).split()
        return any(name == words for name, _, _ in self._names.get(words[0], ()))


def _kinds_of(ids: Iterable[str]) -> frozenset[str]:
    """Return what stands before the number of ids, `sop` of `SOP-101`."""
    kinds = {plain(shape["kind"]) for name in ids if (shape := _ID.fullmatch(name))}
    return frozenset(kinds - _OTHER_KINDS - {""})
