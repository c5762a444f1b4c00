"""A log's answers joined to the questions that `questions.*` holds, by the question's text where ids tell nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from medassay.models.counting import counted
from medassay.models.intake.adapters.adapter import Record, id_of
from medassay.models.intake.rows import spelled


@dataclass
class Asked:
    """The questions that were read, with what a repeat of each has to carry."""

    rows: dict[str, Record] = field(default_factory=dict)
    _by_text: dict[str, list[str]] = field(default_factory=dict)

    def take(self, row: Record) -> None:
        """Take up a question's row."""
        named, text = row.get("question_id"), row.get("question")
        if isinstance(named, str) and isinstance(text, str) and named not in self.rows:
            self.rows[named] = row
            self._by_text.setdefault(_key(text), []).append(named)

    def of_text(self, text: str) -> list[str]:
        """Return the ids of the questions that a log's text asks: the whole, its last turn, or without its choices."""
        last = text.rpartition("\n\nuser: ")[2]
        for one in (text, last, text.partition("\nA) ")[0], last.partition("\nA) ")[0]):
            if found := self._by_text.get(_key(one)):
                return found
        return []


def _key(text: str) -> str:
    return id_of(text.casefold())


@dataclass
class Joining:
    """The joining of one log: its questions' ids, and those that `questions.*` has for them."""

    asked: Asked
    ids: dict[str, str] = field(default_factory=dict)
    by_text: set[str] = field(default_factory=set)
    by_id: dict[str, str] = field(default_factory=dict)
    several: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)

    def take(self, row: Record) -> Record | None:
        """Find whose question a log's question is; return the question that a repeat of it is, which no file holds."""
        named, text = str(row.get("question_id")), row.get("question")
        first = str(row.get("case_id") or named)
        if named in self.ids or not isinstance(text, str):
            return None
        meant = self._meant(first, text)
        if meant is None:
            return None
        self.ids[named] = meant + named.removeprefix(first)
        if named == first or self.ids[named] in self.asked.rows:
            return None
        held = self.asked.rows[meant]
        return held | {"question_id": self.ids[named], "case_id": held.get("case_id") or meant}

    def _meant(self, named: str, text: str) -> str | None:
        found = self.asked.of_text(text)
        if named in found:
            return named
        if len(found) == 1:
            self.by_text.add(named)
            return found[0]
        if named in self.asked.rows:
            self.by_id[named] = text
            return named
        (self.several if found else self.unknown)[named] = text
        return None

    def told(self) -> Iterator[str]:
        """Yield a line for each way in which questions were joined, or were not."""
        if self.by_text:
            yield f"{counted(len(self.by_text), 'question')} joined to those of questions.* by the text"
        for found, what in (
            (self.by_id, "joined to those of questions.* by the id, though the texts differ"),
            (self.several, "not joined: several of questions.* have the text; the log has to hold their ids"),
            (
                self.unknown,
                "not joined: none of questions.* has the id or the text, and their answers are set aside",
            ),
        ):
            if found:
                example = spelled(next(iter(found.values())), 80)
                yield f"{counted(len(found), 'question')} {what}, such as {example}"
