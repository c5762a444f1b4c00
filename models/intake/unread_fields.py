"""Unread fields of a file's rows, reported once a file."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from medassay.models.counting import counted
from medassay.models.intake.look_alikes import Names
from medassay.models.intake.names import unknown
from medassay.models.intake.references import misread_identifiers, unread_fields
from medassay.models.intake.rows import Kind, named, spelled

_HOLDERS: dict[Kind, str] = {"answer": "reference", "document": "document"}
"""What carries identifiers in the rows of a kind."""


@dataclass
class Remarks:
    """What nothing reads: columns, fields of references, identifiers that name no record, rows told elsewhere.

    And of how many answers only what their JSON holds is read.
    """

    left_out: Counter[tuple[str, Kind]] = field(default_factory=Counter)
    wrapped: Counter[str] = field(default_factory=Counter)
    beside: dict[str, set[str]] = field(default_factory=dict)
    meanings: dict[str, dict[str, str]] = field(default_factory=dict)
    systems: dict[str, tuple[str, ...]] = field(default_factory=dict)
    default_system: dict[str, str] = field(default_factory=dict)
    made_ids: Counter[str] = field(default_factory=Counter)
    zeros: dict[str, tuple[str, str]] = field(default_factory=dict)
    first_unnamed: list[str] = field(default_factory=list)
    headings: set[str] = field(default_factory=set)
    told_twice: Counter[str] = field(default_factory=Counter)
    contexts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    commas: dict[str, list[str]] = field(default_factory=dict)
    doubts: dict[str, dict[str, str]] = field(default_factory=dict)
    _strange: dict[tuple[str, Kind], set[str]] = field(default_factory=dict)
    _unread: dict[str, set[str]] = field(default_factory=dict)
    _misread: Counter[tuple[str, Kind, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, Kind, str], str] = field(default_factory=dict)

    def take(self, name: str, kind: Kind, row: dict[str, Any]) -> None:
        """Take up a row of the file of this name."""
        self.names.take(kind, row)
        if strange := unknown(kind, row):
            self._strange.setdefault((name, kind), set()).update(strange)
        if kind == "answer" and (unread := unread_fields(row)):
            self._unread.setdefault(name, set()).update(unread)
        if kind == "answer" and _differs_from_its_sentences(row):
            self.told_twice[name] += 1
        for scheme, said in misread_identifiers(kind, row) if kind in _HOLDERS else ():
            self._misread[name, kind, scheme] += 1
            self._examples.setdefault((name, kind, scheme), said)

    def told(self) -> list[str]:
        """Return a line for each thing and file."""
        return [
            *self._read_as(),
            *self.names.told(),
            *(
                f"{name}: what may be {two_things} is not read: {heading}"
                for name, found in self.doubts.items()
                for heading, two_things in found.items()
            ),
            *(
                f"{name}: {kind} columns that nothing reads: {named(sorted(others))}"
                for (name, kind), names in self._strange.items()
                if (others := names - self.doubts.get(name, {}).keys())
            ),
            *(
                f"{name}: fields of references that nothing reads: {named(sorted(unread))}"
                for name, unread in self._unread.items()
            ),
            *(
                f"{name}: the {scheme} of {count} {_HOLDERS[kind]}{'s'[: count > 1]} names no record, or more than one,"
                f" and is passed over, such as {spelled(self._examples[name, kind, scheme], 60)}"
                for (name, kind, scheme), count in self._misread.items()
            ),
            *(
                f"{name}: {count} answer{'s'[: count > 1]} written as JSON:"
                " what it holds as text and references is read"
                for name, count in self.wrapped.items()
            ),
            *(
                f"{name}: the contexts of {counted(len(places), 'answer')} are read as they stand, and {why} (such as"
                f" {places[0]}); if they are several, write a JSON list of texts"
                for (name, why), places in self.contexts.items()
            ),
            *(
                f"{name}: stands beside the rows and is not read: {named(sorted(names))}"
                for name, names in self.beside.items()
            ),
            *(
                f"{name}: the text of {counted(count, 'answer')} differs from its sentences, which are read"
                for name, count in self.told_twice.items()
            ),
            *(
                f"{name}: {count} rows not read as {kind}s, since {kind}s.* holds them"
                for (name, kind), count in self.left_out.items()
            ),
        ]

    def _read_as(self) -> list[str]:
        """Describe how columns were read that have other names, and what was assumed."""
        return [
            *(
                f"{name}: read {named(f'{heading!r} as {meant}' for heading, meant in meanings.items())}"
                for name, meanings in self.meanings.items()
                if meanings
            ),
            *(
                f"{name}: each of the columns {named(systems)} is read as a system's answers"
                for name, systems in self.systems.items()
            ),
            *(
                f"{name}: no column names the system; its answers are those of {system!r}, after the file"
                for name, system in self.default_system.items()
            ),
            *(
                f"{name}: no question_id in {counted(count, 'row')}: made from the question's text"
                for name, count in self.made_ids.items()
            ),
            *(
                f"{name}: question_id {dropped} is read as {whole}, whose zeros a spreadsheet dropped, and others alike"
                for name, (dropped, whole) in self.zeros.items()
            ),
            *(
                f"{name}: {counted(len(read), 'score')} with a decimal comma read as numbers, such as {read[0]} as"
                f" {read[0].replace(',', '.')}"
                for name, read in self.commas.items()
            ),
            *(
                f"{name}: the first column has no name, as row numbers have none, and is left aside"
                for name in self.first_unnamed
            ),
        ]


def _differs_from_its_sentences(row: dict[str, Any]) -> bool:
    text, sentences = row.get("answer"), row.get("sentences")
    if not isinstance(text, str) or not isinstance(sentences, list):
        return False
    parts = [part.get("text") if isinstance(part, dict) else part for part in sentences]
    joined = "".join(part for part in parts if isinstance(part, str))
    return "".join(text.split()) != "".join(joined.split())
