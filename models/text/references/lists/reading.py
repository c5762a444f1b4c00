"""Reference lists in the text of an answer: under a heading or at the end, one for all of it or one a section."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.labels.supplied_names import NOBODY, SuppliedNames
from medassay.models.text.language.kinds import non_claim_reason
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.references.entries.labels import (
    cited_labels,
    form_of,
    is_only_labels,
    label_of,
    number_of,
)
from medassay.models.text.references.entries.lines import Line, headings_apart, is_rule, lines_of
from medassay.models.text.references.entries.reading import WrittenEntry
from medassay.models.text.references.entries.repeated import numbered, read_all
from medassay.models.text.references.entries.rows import heads_a_table
from medassay.models.text.references.lists.authored_runs import closing_entries
from medassay.models.text.references.lists.by_section import by_section, has_words
from medassay.models.text.references.lists.evidence import (
    are_publications,
    convinces,
    is_only_identifiers,
    marks_the_items_above,
    names_something,
    says_what_for,
)
from medassay.models.text.references.lists.for_programs import ProgramLists
from medassay.models.text.references.lists.gathering import EntryReader
from medassay.models.text.references.lists.headings import Trust, heads_a_list, opens_a_list
from medassay.models.text.references.lists.label_lines import labels_joined
from medassay.models.text.references.lists.labels_behind import list_before_labels, only_cites_by_name
from medassay.models.text.references.lists.reference_list import ReferenceList
from medassay.models.text.references.lists.remarks import speaks_of_its_list
from medassay.models.text.references.lists.supplied_entries import end_of_supplied
from medassay.models.text.references.lists.sure_entries import end_of_run, follows_an_item, is_sure_entry
from medassay.models.text.references.works import names_sources

_YEAR_IN_BRACKETS = re.compile(r"[(\[][^()\[\]\n]{0,80}\b(?:19|20)\d\d[a-h]?[)\]]")
_ISSUE = re.compile(r"(?<=\d)\s?\(\d{1,3}\)(?=\s?[:,]\s?\w)")
_IN_FRONT = re.compile(r"^[ \t>*-]*\[(\d{1,3})\]", re.MULTILINE)
_LONGEST_HEADING = 8  # words
_APART = ("square", "linked", "bib", "symbol", "raised", "sup", "caret", "braced", "wide", "spelled")
"""Labels that number no item of the text's own lists."""
_LINES_OF_FAREWELL = 4


def find_reference_lists(
    text: str, *, given: bool = False, supplied: SuppliedNames = NOBODY
) -> tuple[ReferenceList, ...]:
    """Find every reference list, in order; lists with nothing between them are one.

    Args:
        text: The answer.
        given: Whether references come as data, so that what is numbered in the text need not be any.
        supplied: The documents that entries may name.
    """
    return by_section(text, _Finder(text, given, supplied).lists())


class _Finder:
    def __init__(self, text: str, given: bool, supplied: SuppliedNames) -> None:
        self.text, self.given, self.supplied = text, given, supplied
        self.lines = labels_joined(headings_apart(lines_of(text), text), text)
        self.cited = cited_labels(text)
        self.n_closing = 0
        self.rejected_until = 0
        self.judged_until = 0
        self.free_from = 0
        self.programs = ProgramLists(text, self.lines)

    def lists(self) -> tuple[ReferenceList, ...]:
        """Walk over the lines once."""
        found: list[ReferenceList] = []
        at = 0
        while at < len(self.lines):
            read, at = self._list_at(at)
            if read is None:
                continue
            if found and not has_words(self.text[found[-1].end : read.start]):
                read = ReferenceList(found[-1].start, read.end, (*found[-1].entries, *read.entries))
                found.pop()
            found.append(read)
            self.free_from = at
        if self.n_closing > 1:
            found = [listed for listed in found if not listed.closing]
        return tuple(found)

    def _for_programs(self, at: int) -> tuple[ReferenceList, int] | None:
        """Read what programs append, and a heading over it."""
        found = self.programs.read(at)
        if found is None:
            return None
        entries, end, after = found
        return ReferenceList(self.lines[at].first, end, entries), after

    def _list_at(self, at: int) -> tuple[ReferenceList | None, int]:
        """Read the list that begins with a line, if one does; say where to go on."""
        line = self.lines[at]
        raw = self.text[line.start : line.end]
        if found := self._for_programs(at):
            return found
        first, entries = self._authored
        if entries and at == first:
            read = tuple(read_all(self.text, entries))
            return ReferenceList(line.first, entries[-1].end, read), self._after(entries[-1].end)
        if trust := heads_a_list(raw):
            return self._before_labels(trust, at) or self._headed(trust, at)
        if is_rule(raw):
            return None, at + 1
        label = label_of(raw)
        numbered = label is not None and form_of(label) == "spelled"  # "Reference 1: …" opens no list
        if not numbered and (inline := opens_a_list(raw)):
            return self._before_labels(inline[0], at, line.start + inline[1]) or self._inline(*inline, at)
        return self._headless(at, raw)

    def _before_labels(
        self, trust: Trust, at: int, inline: int | None = None
    ) -> tuple[ReferenceList, int] | None:
        """Read entries that have their labels behind them, where no list has these in front."""
        found = list_before_labels(self.text, self.lines, at, trust, inline)
        front = {label for entry in found[0].entries if (label := entry.reference.marker)} if found else set()
        return found if front.isdisjoint(self._in_front) else None

    @cached_property
    def _in_front(self) -> frozenset[str]:
        """The numbers in brackets that lines begin with."""
        return frozenset(_IN_FRONT.findall(self.text))

    def _headed(self, trust: Trust, at: int) -> tuple[ReferenceList | None, int]:
        reader = EntryReader(self.text, self.lines, self.cited)
        after = reader.read(at + 1)
        if all(is_only_labels(self.text[entry.start : entry.end]) for entry in reader.entries):
            return None, at + 1
        if not convinces(self.text, reader.entries, trust, self.cited):
            return None, at + 1
        closing = len(reader.entries) == 1 and self._is_closing(reader.entries, after)
        return self._made(at, after, reader, closing=closing)

    def _inline(self, trust: Trust, offset: int, at: int) -> tuple[ReferenceList | None, int]:
        """Read `References: 1. …`, unless it only marks what stands above."""
        line = self.lines[at]
        rest = Line(line.first, line.start + offset, line.end, line.indent, line.after_blank)
        raw = self.text[rest.start : rest.end]
        if is_only_labels(raw) or only_cites_by_name(raw):
            return None, at + 1
        labelled = label_of(raw) is not None
        only_ids = not labelled and is_only_identifiers(raw)
        if at < self.rejected_until or not (
            labelled or only_ids or names_something(trust, raw, after_blank=line.after_blank)
        ):
            return None, at + 1
        reader = EntryReader(self.text, self.lines, self.cited)
        after = reader.read(at, rest)
        alone = only_ids or not labelled and self._names_what_nothing_cites(at, raw)
        while alone and self._names_more(after):
            reader.end, after = self.lines[after].end, after + 1
        if (
            alone
            and not self._closes(at, after, raw)
            or labelled
            and (
                says_what_for(self.text, reader.entries)
                or not convinces(self.text, reader.entries, trust, self.cited)
            )
        ):
            self.rejected_until = after
            return None, at + 1
        closing = alone and (not only_ids or self._is_closing(reader.entries, after))
        self.n_closing += closing
        return self._made(at, after, reader, closing=closing)

    def _names_what_nothing_cites(self, at: int, raw: str) -> bool:
        """Tell whether a line `Source: NICE NG28` stands for what is above it, where nothing says what it cites."""
        return (
            names_sources(raw.strip(" .*_"))
            and self._is_alone(at)
            and not _YEAR_IN_BRACKETS.search(self.text)
        )

    def _names_more(self, at: int) -> bool:
        """Tell whether a line right below `Source: a.pdf` names another one in the same way."""
        goes_on = at < len(self.lines) and not self.lines[at].after_blank
        opened = opens_a_list(self._raw(at)) if goes_on else None
        return opened is not None and names_sources(self._raw(at)[opened[1] :].strip(" .*_"))

    def _closes(self, at: int, after: int, raw: str) -> bool:
        """Tell whether a line of identifiers ends the answer, rather than marking the block right above it."""
        if not self.lines[at].after_blank or not self._ends_here(after):
            self.n_closing += 1
            return False
        return self._is_alone(at) or not marks_the_items_above(
            self.text, self.lines[at].start, self.lines[at].end
        )

    def _headless(self, at: int, raw: str) -> tuple[ReferenceList | None, int]:
        """Read a run of entries without heading: at the end, or anywhere if their labels are cited in brackets."""
        if heads_a_table(self.text, self.lines, at, self.cited):
            reader = EntryReader(self.text, self.lines, self.cited)
            return self._made(at, reader.read(at), reader)
        label = label_of(raw)
        if label is None or at == 0 or follows_an_item(self._raw(at - 1), label, self.cited):
            return None, at + 1
        run = self._run_from(at) or end_of_supplied(self.text, self.lines, at, self.cited, self.supplied)
        if not run and not is_sure_entry(raw, label):
            return self._counted(at)
        reader = EntryReader(self.text, self.lines, self.cited, strict=True, proven=run)
        after = reader.read(at)
        if not reader.entries:
            return None, at + 1
        bracketed = form_of(label) in _APART
        cited = normalise_label(reader.entries[0].label or "") in self.cited
        if after < len(self.lines) and not (bracketed and cited) and not (cited and self._ends_here(after)):
            return None, after
        return self._made(at - (cited and at > self.free_from and self._introduces(at - 1)), after, reader)

    def _run_from(self, at: int) -> int:
        """Return the number of the line after a run of entries that begins with a line; 0 if none does."""
        if at < self.judged_until:
            return 0
        self.judged_until, is_list = end_of_run(self.text, self.lines, at, self.cited)
        return self.judged_until if is_list else 0

    def _counted(self, at: int) -> tuple[ReferenceList | None, int]:
        """Read the only list of an answer, at its end: each entry has an identifier, and the text cites all of them."""
        if self.given or self.free_from or at != self._last_first or self._any_uncited(("1",)):
            return None, at + 1
        reader = EntryReader(self.text, self.lines, self.cited)
        after = reader.read(at)
        proven = are_publications(self.text, reader.entries) and self._ends_here(after)
        if not proven or self._any_uncited(entry.label or "" for entry in reader.entries):
            return None, at + 1
        return self._made(at - self._introduces(at - 1, decorated=False), after, reader)

    @cached_property
    def _authored(self) -> tuple[int, tuple[WrittenEntry, ...]]:
        """The line that a list of authors and years at the end begins with, and its entries if there is one."""
        return (0, ()) if self.given else closing_entries(self.text, self.lines)

    def _after(self, end: int) -> int:
        """Return the number of the first line that begins behind a place."""
        return bisect_left(self.lines, end, key=lambda line: line.start)

    @cached_property
    def _last_first(self) -> int | None:
        """The last line with the number 1, where the list at the end begins."""
        for at in reversed(range(len(self.lines))):
            label = label_of(self.text[self.lines[at].start : self.lines[at].end])
            if label is not None and number_of(label) == 1:
                return at
        return None

    def _any_uncited(self, labels: Iterable[str]) -> bool:
        """Tell whether any of the labels is cited nowhere."""
        return not self.cited.issuperset(normalise_label(label) for label in labels)

    def _introduces(self, at: int, *, decorated: bool = True) -> bool:
        """Tell whether a line is a heading, in whatever language, over cited entries."""
        line = self.lines[at]
        raw = self.text[line.start : line.end]
        words = raw.strip("#*_ ")
        short = (
            len(words.split()) <= _LONGEST_HEADING and line.after_blank and not re.search(r"[.!?\d]", words)
        )
        marked = not decorated or words != raw or words.endswith((":", "："))
        return short and marked and not has_finite_verb(words)

    def _is_closing(self, entries: Sequence[WrittenEntry], after: int) -> bool:
        said = all(is_only_identifiers(self.text[entry.body : entry.end]) for entry in entries)
        return said and all(entry.label is None for entry in entries) and self._ends_here(after)

    def _ends_here(self, after: int) -> bool:
        """Tell whether nothing but a farewell follows."""
        rest = [self._raw(n) for n in range(after, min(after + _LINES_OF_FAREWELL + 1, len(self.lines)))]
        said = (is_rule(raw) or non_claim_reason(raw) or speaks_of_its_list(raw) for raw in rest)
        return len(rest) <= _LINES_OF_FAREWELL and all(said)

    def _is_alone(self, at: int) -> bool:
        """Tell whether nothing above a line is cited, so that it speaks for all of it."""
        above = self.text[: self.lines[at].start]
        cited = self.cited and cited_labels(_ISSUE.sub("", self.text))
        return not cited and not atoms(above)

    def _made(
        self, at: int, after: int, reader: EntryReader, *, closing: bool = False
    ) -> tuple[ReferenceList | None, int]:
        """Make a list of the lines from `at` up to `after`, if anything can be read from them."""
        read = read_all(self.text, numbered(self.text, reader.entries))
        if not read:
            return None, at + 1
        end = reader.end
        while after < len(self.lines) and speaks_of_its_list(self._raw(after)):
            end, after = self.lines[after].end, after + 1
        return ReferenceList(self.lines[at].first, end, tuple(read), closing), after

    def _raw(self, at: int) -> str:
        return self.text[self.lines[at].start : self.lines[at].end]
