"""Records of evaluation logs, read by declared paths: a question, an answer, and perhaps people's scores of it."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters.adapter import Adapter, Found, Record, id_of
from medassay.models.intake.headings import renamed
from medassay.models.intake.names import is_conversation, readable
from medassay.models.intake.provider_forms import contexts_of, is_provider_form
from medassay.models.intake.rows import Place

_ANSWERS = ("answer", "output", "output_text", "response", "result", "text", "content")


OF_QUESTION = ("nuggets", "criteria", "must_ask", "red_flags", "guidance", "profile")
OF_ANSWER = ("references", "turns")
OF_ROWS = ("nuggets", "criteria", "must_ask", "red_flags", "references")
"""What a prepared record may hold under its own name, of its question, its answer, and by the data's own names."""


@dataclass(frozen=True)
class LogForm:
    """Where a tool's records hold what an evaluation reads: dotted paths, the first that holds anything counts.

    Attributes:
        tool: The tool's name.
        marks: What every record of it has.
        question: A text, messages, or an object with a question in it.
        answer: A text, a provider's object, or an object with an answer in it.
        reference: A text, a list whose first text counts, or an object with a reference answer in it.
        contexts: Texts, or objects with a text each.
        identity: The question's id; made of its text where there is none.
        system: The system's name; the file's where there is none.
        error: Why there is no answer.
        repeat: Which attempt it is, from `first_repeat`; where empty, a question that comes again is a repeat if
            `counts_repeats`.
        unread: What is in the record, is not read, and is told.
        prepare: What brings a record into this form first; None leaves it out.
        scores: People's scores of the answer, without question and system.
    """

    tool: str
    marks: tuple[str, ...]
    question: tuple[str, ...]
    answer: tuple[str, ...]
    reference: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    repeat: tuple[str, ...] = ()
    first_repeat: int = 1
    counts_repeats: bool = False
    unread: tuple[str, ...] = ()
    prepare: Callable[[Record], Record] = dict
    scores: Callable[[Record], Iterable[Record]] = lambda record: ()

    def recognises(self, record: Record) -> bool:
        """Return whether a record has this form."""
        return all(held(record, mark) is not None for mark in self.marks)

    def adapter(self, group_of: Callable[[Path], str] | None = None) -> Adapter:
        """Return the adapter of this form; `group_of` names by the path what its ids are numbered within."""

        def begin_file(path: Path) -> LogRecords:
            return LogRecords(self, path.parent.name, group_of(path) if group_of else "")

        begin = begin_file if group_of else None
        return Adapter(self.tool, self.recognises, lambda stem: LogRecords(self, stem), begin, is_log=True)


@dataclass
class LogRecords:
    """The reading of a log's records, one by one; counts the repeats of a question."""

    form: LogForm
    stem: str
    group: str = ""
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def feed(self, record: Record, place: Place) -> Iterator[Found]:
        """Yield a question, its answer, and what people said of the answer.

        A repeat is a question of its own that shares the first one's case, so that tests and intervals take the
        repeats of a question together.
        """
        form, record = self.form, self.form.prepare(record)
        asked = text_of_question(first(record, form.question))
        if asked is None:
            raise ValueError("no question")
        identity = first(record, form.identity)
        named = str(identity) if not self.group else f"{self.group} {identity}"
        identity = id_of(asked) if identity in (None, "") else named
        system = str(first(record, form.system) or self.stem)
        repeat = self._repeat(record, identity, system)
        named = identity if repeat == 1 else f"{identity}, repeat {repeat}"
        question: Record = {
            "question_id": named, "question": asked, "reference_answer": reference_of(first(record, form.reference)),
            "case_id": identity if repeat > 1 else None,
        }  # fmt: skip
        question |= {name: record[name] for name in OF_QUESTION if record.get(name)}
        yield "question", question, place
        answer: Record = {"question_id": named, "system": system}
        said, error = said_in(first(record, form.answer)), first(record, form.error)
        if error is not None and said in (None, ""):
            answer["failed"] = f"{form.tool} logged an error: {' '.join(readable(error).split())[:160]}"
        elif said is None and not record.get("turns"):
            answer["failed"] = f"{form.tool} logged no answer"
        elif said is not None:
            answer["answer"] = said
        answer |= {name: record[name] for name in OF_ANSWER if record.get(name)}
        if contexts := contexts_of({"contexts": first(record, form.contexts)}):
            answer["contexts"] = contexts
        answer |= {name: True for name in form.unread if held(record, name) not in (None, [], {})}
        yield "answer", answer, place
        for score in form.scores(record):
            yield "human_score", {"question_id": named, "system": system, "role": "tune", **score}, place

    def _repeat(self, record: Record, identity: str, system: str) -> int:
        number = first(record, self.form.repeat)
        if isinstance(number, int | float) or (isinstance(number, str) and number.isdecimal()):
            return int(number) + 1 - self.form.first_repeat
        self.seen[identity, system] += self.form.counts_repeats
        return max(self.seen[identity, system], 1)

    def rest(self) -> Iterator[Found]:
        """Yield nothing: no record waits."""
        return iter(())


def held(record: Any, path: str) -> Any:
    """Return what stands at a dotted path, numbers counting items of lists."""
    for name in path.split("."):
        if isinstance(record, dict):
            record = record.get(name)
        elif isinstance(record, list) and name.isdecimal() and int(name) < len(record):
            record = record[int(name)]
        else:
            return None
    return record


def parsed(value: Any) -> Any:
    """Return what a text of JSON holds; any other text as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def first(record: Record, paths: tuple[str, ...]) -> Any:
    """Return the first of the paths' values that holds anything."""
    return next((value for path in paths if (value := held(record, path)) not in (None, "", [], {})), None)


def text_of_question(value: Any) -> str | None:
    """Return a question's text: of messages what each says, pictures left out; of an object its question."""
    if isinstance(value, dict):
        fields = renamed(value, None)[0]
        texts = [part for part in value.values() if isinstance(part, str)]
        asked = fields.get("question") or fields.get("query") or fields.get("messages")
        return text_of_question(asked) if asked else texts[0] if len(texts) == 1 else readable(value)
    if is_conversation(value):
        turns = [(turn["role"], text_of_content(turn["content"])) for turn in value]
        return (
            turns[0][1]
            if [role for role, _ in turns] == ["user"]
            else "\n\n".join(f"{r}: {t}" for r, t in turns)
        )
    return value if isinstance(value, str) else None if value is None else readable(value)


def text_of_content(content: Any) -> str:
    """Return the text of a message's content, the names of what is no text in brackets."""
    if not isinstance(content, list):
        return readable(content)
    parts = [part if isinstance(part, dict) else {"text": str(part)} for part in content]
    texts = (
        part["text"] if isinstance(part.get("text"), str) else f"[{part.get('type', 'no text')}]"
        for part in parts
    )
    return "\n".join(text.strip() for text in texts)


def said_in(value: Any) -> Any:
    """Return an answer's text, or the provider's object that holds it."""
    if not isinstance(value, dict | list) or is_provider_form({"answer": value}):
        return value if value is None or isinstance(value, str | dict | list) else str(value)
    if isinstance(value, dict):
        texts = [part for part in value.values() if isinstance(part, str)]
        named = [value[name] for name in _ANSWERS if isinstance(value.get(name), str)]
        if named or len(texts) == 1:
            return (named or texts)[0]
    return readable(value)


def reference_of(value: Any) -> str | None:
    """Return a reference answer: a text, a list's first, or the one of an object."""
    if isinstance(value, list):
        return reference_of(value[0]) if value else None
    if isinstance(value, dict):
        fields = renamed(value, None)[0]
        texts = [part for part in value.values() if isinstance(part, str)]
        found = (
            fields.get("reference_answer") or fields.get("answer") or (texts[0] if len(texts) == 1 else None)
        )
        return reference_of(found) if found is not None else None
    return value if value is None or isinstance(value, str) else str(value)
