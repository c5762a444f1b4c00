"""Reference lists written for programs: entries of BibTeX and RIS, and lists in JSON; in a block of code or not."""

import re
from collections.abc import Sequence

from medassay.models.text.references.entries.lines import Line, is_rule
from medassay.models.text.references.entries.reading import ListedReference
from medassay.models.text.references.formats.bibtex import bibtex_entry
from medassay.models.text.references.formats.json_entries import OPENS, json_entries
from medassay.models.text.references.formats.ris import ris_entry
from medassay.models.text.references.lists.headings import heads_a_list

_CODE = re.compile(r"^[ \t>]*(?:@\w+\s*\{|[\[{]\s*[{\"]|TY {1,2}- |PMID ?- ?\d)", re.MULTILINE)
_MOST_TRIED = 20


class ProgramLists:
    """Finds in the lines of a text what reference managers and programs append."""

    def __init__(self, text: str, lines: Sequence[Line]) -> None:
        self.text, self.lines = text, lines
        self.has_any = _CODE.search(text) is not None
        self.n_tried = 0

    def read(self, at: int) -> tuple[tuple[ListedReference, ...], int, int] | None:
        """Read an entry or a list that begins with a line, or below it where that is a heading.

        Returns:
            The entries, where they end in the text, and the number of the line after them; None where none begin.
        """
        if not self.has_any:
            return None
        if heads_a_list(self._raw(at)):
            at += 1
        if at < len(self.lines) and is_rule(self._raw(at)):
            at += 1
        if at == len(self.lines):
            return None
        start = self.lines[at].start
        entry = bibtex_entry(self.text, start) or ris_entry(self.text, start)
        entries = (entry,) if entry else self._in_json(start)
        if not entries or entries[0].span is None:
            return None
        end = entries[0].span.end
        after = next((n for n in range(at, len(self.lines)) if self.lines[n].start >= end), len(self.lines))
        return entries, end, after

    def _in_json(self, start: int) -> tuple[ListedReference, ...]:
        """Read a list in JSON; what only looks like one is not tried at every line."""
        if not OPENS.match(self.text, start) or self.n_tried >= _MOST_TRIED:
            return ()
        self.n_tried += 1
        return json_entries(self.text, start)

    def _raw(self, at: int) -> str:
        return self.text[self.lines[at].start : self.lines[at].end]
