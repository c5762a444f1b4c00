"""The names that supplied documents go by, however written: `SOP-101`, `[sop 101, 3.2]`, or the whole title."""

import re
import unicodedata
from collections.abc import Collection, Mapping

_WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 24
"""Of a title."""
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
        words = list(_WORD.finditer(written))[:MOST_WORDS]
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
