"""The names that supplied documents go by, however written: `SOP-101`, `[sop 101, 3.2]`, or the whole title."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

_WORD = re.compile(r"[^\W_]+")
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
_MOST_WORDS = 24
_LOCATOR = re.compile(
    r"[\s.]*"
    r"|\s?[,:|§–—-]\s?[^\[\];]{1,60}"
    r"|\s(?:(?:v|ver|version|rev|ch|chapter|sec|sect|section|p|pp|page|para|no|nr|table|fig|item"
    r"|kap|kapitel|abschnitt"
    r"|seite)\b\.?\s?|§\s?)?[\dIVX][\w.,–-]{0,15}",
    re.IGNORECASE,
)


def plain(name: str) -> str:
    """Return the words of a name, lower case: `SOP-101`, `sop 101` and `[SOP 101]` are one."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", name).casefold()))


class SuppliedNames:
    """The documents that an answer may name; what only looks like an id, `SOP-999` beside `SOP-101`, is nobody's."""

    def __init__(self, names: Mapping[str, str | None] | Collection[str] = ()) -> None:
        """Take ids, or names with the id that each stands for: None for what looks like an id and is none."""
        given = names if isinstance(names, Mapping) else {name: name for name in names}
        self._exact = {name.strip().casefold(): document for name, document in given.items()}
        self._plain: dict[str, str | None] = {}
        for name, document in given.items():
            if words := plain(name):
                self._plain.setdefault(words, document)

    def __bool__(self) -> bool:
        return bool(self._exact)

    @property
    def names(self) -> list[str]:
        """The names with a number in them that stand for a document."""
        return [
            name
            for name, document in self._exact.items()
            if document and any(sign.isdigit() for sign in name)
        ]

    def knows(self, written: str) -> bool:
        """Tell whether this is a document's name, or looks like one's id."""
        return written.strip().casefold() in self._exact or plain(written) in self._plain

    def find(self, written: str) -> str | None:
        """Return the id of the document that goes by a name; None if there is none."""
        exact = self._exact.get(written.strip().casefold())
        return exact or self._plain.get(plain(written))

    def begins(self, written: str) -> tuple[str, str] | None:
        """Cut words that begin with a document's name into that, the longest, and the rest: `SOP-101`, `, 3.2`."""
        words = list(_WORD.finditer(written))[:_MOST_WORDS]
        for last in reversed(words):
            if written[: words[0].start()].strip() == "" and self.knows(name := written[: last.end()]):
                return name, written[last.end() :]
        return None

    def located(self, written: str) -> str | None:
        """Return the name in `SOP-101, 3.2` and `SOP-101 v7`: what stands behind it says where in the document."""
        found = self.begins(written)
        if found is None or not _LOCATOR.fullmatch(found[1]):
            return None
        sure = any(sign.isdigit() for sign in found[0]) or len(found[0].split()) > 1
        return found[0] if sure or not found[1].strip(" .") else None


NOBODY = SuppliedNames()


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
            if words := plain(name).split()[: _MOST_WORDS + 1]:
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
