"""Records of the own form as people write them: headings by meaning, nested fields, one column a system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters.adapter import Record, id_of
from medassay.models.intake.conversations import IDENTITY as TALK_IDENTITY
from medassay.models.intake.conversations import (
    TRANSCRIPTS,
    ends_with_a_reply,
    n_replies,
    opening,
    said_by_user,
    talk_in,
)
from medassay.models.intake.formats import stem
from medassay.models.intake.headings import (
    NOTHING_CHOSEN,
    Chosen,
    beside_each_other,
    doubts,
    folded,
    meaning,
    renamed,
)
from medassay.models.intake.messages import is_talk, plain_messages
from medassay.models.intake.names import (
    ALL_NAMES,
    IDENTITY,
    KNOWN,
    SYNONYMS,
    as_name,
    conversation,
    is_conversation,
)
from medassay.models.intake.rows import Kind, spelled
from medassay.models.intake.unread_fields import Remarks

_OF_THE_QUESTION = ("inputs", "item", "vars", "doc")
_OF_THE_ANSWER = ("outputs", "sample", "response")
_EXPECTED = ("reference_outputs", "expectations")
_ANSWERS = ("answer", "output", "output_text", "response", "result", "text")
_ASKED = ("question", "query", "prompt", "input", "user_input")

_SYSTEM = frozenset(name for name, meant in SYNONYMS["answer"].items() if meant == "system") | {"system"}
_SAID = frozenset({"answer", "answers", "sentences", "turns", "output", "response"})
_OF_NO_SYSTEM = frozenset(
    "comment comments note notes remark remarks kommentar bemerkung anmerkung category kategorie topic thema date datum"
    " difficulty source quelle url link type typ id index row no nr number language sprache specialty fach tag tags"
    " author autor reviewer rater status title name version score ward department station abteilung klinik"
    " hospital clinic unit doctor physician consultant arzt patient patientin mrn diagnosis diagnose guideline"
    " leitlinie correct correctness verdict rating bewertung grade askedby reviewedby validatedby approved"
    " preferred preference winner better best choice".split()
)
"""Headings of columns that hold no system's answers, folded."""


def unnested(record: Record, kind: Kind | None = None) -> tuple[Record, dict[str, str]]:
    """Lay what is nested beside the other fields; return the record and how each nested field was read.

    What is not understood stays where it is, to be named as unread.
    """
    row, meanings = dict(record), dict[str, str]()

    def read(holder: str, field: str, meant: str, value: Any) -> None:
        row[meant] = value
        meanings[f"{holder}.{field}"] = meant

    for holder in _OF_THE_QUESTION:
        if isinstance(inner := record.get(holder), dict) and all(isinstance(name, str) for name in inner):
            fresh = {name: value for name, value in inner.items() if name not in record}
            row |= fresh
            meanings |= {f"{holder}.{name}": name for name in fresh}
            if fresh.keys() == inner.keys():
                row.pop(holder)
    for holder in _OF_THE_ANSWER:
        inner = record.get(holder)
        if not isinstance(inner, dict) or "answer" in row:
            continue
        if field := next((name for name in _ANSWERS if isinstance(inner.get(name), str)), None):
            read(holder, field, "answer", inner[field])
        elif isinstance(inner.get("body"), dict):  # OpenAI's batches
            read(holder, "body", "answer", inner["body"])
        else:
            continue
        left = {
            f"{holder}.{name}": value for name, value in inner.items() if f"{holder}.{name}" not in meanings
        }
        row.pop(holder)
        row |= left
    for holder in _EXPECTED:
        inner = record.get(holder)
        texts = {n: v for n, v in inner.items() if isinstance(v, str)} if isinstance(inner, dict) else {}
        if len(texts) == 1 and "reference_answer" not in row:
            ((field, value),) = texts.items()
            read(holder, field, "reference_answer", value)
            others = {f"{holder}.{n}": v for n, v in row.pop(holder).items() if n != field}
            row |= others
    provider = record.get("provider")
    if "vars" in record and isinstance(provider, dict) and isinstance(provider.get("id"), str):  # promptfoo
        read("provider", "id", "system", row.pop("provider")["id"])
    told, given = record.get("instruction"), record.get("input")
    if (
        isinstance(told, str)
        and isinstance(given, str)
        and not any(name in row for name in _ASKED if name != "input")
    ):
        del row["instruction"], row["input"]
        row["question"] = f"{told}\n\n{given}".strip()
        meanings |= {"instruction": "question", "input": "question"}
    if kind in (None, "question"):
        _read_talk(row, meanings, kind)
    return row, meanings


def _read_talk(row: Record, meanings: dict[str, str], kind: Kind | None) -> None:
    """Read a conversation: as the turns of its system, or, where another field answers it, as the question.

    One with a single reply is a question and its answer.
    """
    field = talk_in(row)
    answered = any(name in row for name in (*_ANSWERS, "answers", "sentences"))
    asked = any(name in row for name in _ASKED if name != field)
    if field is None and kind is None and not answered and not asked:
        given = ("messages", "turns", *TRANSCRIPTS)
        field = next((name for name in given if isinstance(row.get(name), list | str)), None)
    if field is None or (asked and (answered or kind == "question")):
        return
    talk = row.pop(field)
    is_prompt = answered and field in ("input", "user_input")
    replied = (ends_with_a_reply(talk) and not is_prompt) or not is_talk(talk)
    if kind is None and replied and (answered or asked or n_replies(talk) != 1):
        row["turns"] = talk
        meanings[field] = "turns"
        if not asked and (said := opening(talk)):
            row["question"] = said
        if not any(name in row for name in IDENTITY):
            named = next((row.pop(name) for name in TALK_IDENTITY if row.get(name) is not None), None)
            row["question_id"] = id_of(said_by_user(talk) or spelled(talk)) if named is None else named
        return
    turns = talk if is_conversation(talk) else plain_messages(talk)
    if replied and len(turns) > 1 and not answered:
        row["answer"] = conversation([{**turns[-1], "role": "user"}])
        meanings[f"{field}, the last"] = "answer"
        turns = turns[:-1]
    row["question"] = conversation(turns)
    meanings[field] = "question"


def system_columns(
    columns: Sequence[str], first: Mapping[str, Any], kind: Kind | None, chosen: Chosen
) -> tuple[str, ...]:
    """Return the columns of a sheet that hold a system's answers each: those that mean nothing else, beside a question.

    None where the sheet has a column of answers or of systems, but for a "Model answer" that may be the gold one.
    """
    chosen = beside_each_other(columns, chosen)
    meant = {name: meaning(name, kind, chosen) or name for name in columns if name}
    if kind not in (None, "question") or "question" not in {
        SYNONYMS["question"].get(m, m) for m in meant.values()
    }:
        return ()
    others = tuple(
        name
        for name, m in meant.items()
        if m == name and name not in ALL_NAMES and not name.startswith("__")
        if folded(name) not in _OF_NO_SYSTEM | chosen.doubtful and _is_prose(first.get(name))
    )
    said = [name for name, m in meant.items() if m in _SAID | _SYSTEM | {"annotator"}]
    if [folded(name) for name in said] == ["modelanswer"] and "reference_answer" not in meant.values():
        return others if len(others) > 1 and "modelanswer" not in chosen.meanings else ()
    return () if said else others


def names_a_system(row: Mapping[str, Any]) -> bool:
    """Return whether a row says whose answers it holds."""
    inline = row.get("answers")
    listed = inline if isinstance(inline, list) else []
    return not _SYSTEM.isdisjoint(row) or any(
        isinstance(a, dict) and not _SYSTEM.isdisjoint(a) for a in listed
    )


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and sum(c.isalpha() for c in value) > 1


@dataclass
class Ids:
    """The ids of the questions that were read, by their texts, and by what spreadsheets leave of them."""

    by_text: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    _bare: dict[str, str | None] = field(default_factory=dict)

    def take(self, row: Record) -> None:
        """Take up a question's row."""
        named, asked = row.get("question_id"), row.get("question")
        if not isinstance(named, str) or named in self.known:
            return
        self.known.add(named)
        if isinstance(asked, str):
            self.by_text.setdefault(id_of(asked), named)
        if named.isdecimal():
            bare = named.lstrip("0")
            self._bare[bare] = None if bare in self._bare else named

    def of_text(self, question: str) -> str:
        """Return the id of the question with this text, or one made of it."""
        made = id_of(question)
        return self.by_text.get(made, made)

    def of_number(self, named: Any) -> str | None:
        """Return the id that a number stands for whose leading zeros a spreadsheet has dropped."""
        number = as_name(named)
        if not isinstance(number, str) or number in self.known or not number.isdecimal():
            return None
        return self._bare.get(number.lstrip("0"))


@dataclass
class PlainRecords:
    """Reads the records of one file as the own form has them; what it had to assume is told in `remarks`."""

    path: Path
    kind: Kind | None
    remarks: Remarks
    ids: Ids
    systems: tuple[str, ...] = ()
    names_no_system: bool = False
    chosen: Chosen = NOTHING_CHOSEN
    is_whole: bool = False
    """Whether answers stand without a table of questions, which their records then hold."""

    def plain(self, record: Record) -> Record:
        """Return a record with the fields' own names, an id and a system."""
        name = str(self.path)
        laid, nested = unnested(record, None if self.is_whole else self.kind)
        chosen = beside_each_other(laid, self.chosen)
        if self.systems:
            doubtful = chosen.doubtful | {"modelanswer"} - chosen.meanings.keys()
            chosen = replace(chosen, doubtful=doubtful)
        row, meanings = renamed(laid, self.kind, chosen)
        self.remarks.doubts.setdefault(name, {}).update(doubts(laid, chosen))
        self.remarks.headings.update(map(folded, laid))
        nested = {field: meanings.get(meant, meant) for field, meant in nested.items()}
        meanings = {heading: meant for heading, meant in meanings.items() if heading in record}
        self.remarks.meanings.setdefault(name, {}).update(nested | meanings)
        if self.systems:
            row = {n: v for n, v in row.items() if n not in self.systems} | {
                "answers": {
                    system: record[system] for system in self.systems if record.get(system) is not None
                }
            }
            self.remarks.systems[name] = self.systems
        self._name_question(row)
        if "turns" in row and "question" not in record and self._is_known(row):
            row.pop("question", None)
        is_a_map = isinstance(row.get("answers"), dict) and "answer" not in row
        if self.names_no_system and not is_a_map and not _SAID.isdisjoint(row) and _SYSTEM.isdisjoint(row):
            row["system"] = stem(self.path)
            self.remarks.default_system[name] = row["system"]
        return row

    def _is_known(self, row: Record) -> bool:
        """Return whether the question of a conversation was read before and this row says nothing else of it."""
        fields = KNOWN["question"] & row.keys() - {"question_id", "question"}
        return not fields and str(as_name(row.get("question_id"))) in self.ids.known

    def _name_question(self, row: Record) -> None:
        """Give a row its question's id: by the text where it has none, with the zeros that a spreadsheet dropped."""
        identity = next((name for name in IDENTITY if row.get(name) is not None), None)
        if is_conversation(row.get("question")):
            row["question"] = conversation(row["question"])
        asked = next(
            (row[n] for n in ("question", "question_summary", "query") if isinstance(row.get(n), str)), None
        )
        if (
            identity is None
            and asked
            and asked.strip()
            and self.kind in (None, "question", "answer", "human_score")
        ):
            row["question_id"] = self.ids.of_text(asked)
            self.remarks.made_ids[str(self.path)] += 1
            if self.kind in ("answer", "human_score"):
                row.pop("question", None)
        elif identity and self.kind not in (None, "question", "document"):
            if whole := self.ids.of_number(row[identity]):
                self.remarks.zeros.setdefault(str(self.path), (str(row[identity]), whole))
                row[identity] = whole
