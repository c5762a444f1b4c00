"""Convert validated rows to records."""

from dataclasses import asdict
from typing import Any

from medassay.models.intake.names import IDENTIFIERS, as_name
from medassay.models.intake.references import spans_of, to_references
from medassay.models.keys import content_key
from medassay.models.records import (
    Act,
    Answer,
    CitedSpan,
    Criterion,
    Document,
    GivenNugget,
    Question,
    Section,
)


def to_question(value: dict[str, Any]) -> Question:
    """Build a question from its validated row."""
    texts = ("reference_answer", "profile", "messages", "guidance", "risk_level", "category", "case_id")
    return Question(
        question_id=value["question_id"],
        question=value["question"],
        nuggets=tuple(_nugget(nugget) for nugget in value.get("nuggets") or ()),
        criteria=tuple(
            Criterion(one["text"], float(one["points"]), tuple(one["tags"]))
            for one in value.get("criteria") or ()
        ),
        must_ask=_acts(value.get("must_ask")),
        red_flags=_acts(value.get("red_flags")),
        **{name: _given(value.get(name)) for name in texts},
    )


def question_row(question: Question) -> dict[str, Any]:
    """Return a question's content and the key made of it."""
    content = {
        name: value
        for name, value in asdict(question).items()
        if name not in ("question_id", "nuggets", "criteria", "must_ask", "red_flags")
    }
    return {"question_key": content_key(content), **content}


def _acts(listed: list[dict[str, Any]] | None) -> tuple[Act, ...]:
    return tuple(Act(one["text"], int(one["by_turn"]) if "by_turn" in one else None) for one in listed or ())


def _given(text: str | None) -> str | None:
    """Return a text that says something; a blank one was not given."""
    return text if text and text.strip() else None


def _nugget(nugget: Any) -> GivenNugget:
    if isinstance(nugget, str):
        return GivenNugget(nugget)
    return GivenNugget(nugget["text"], nugget.get("importance") or "vital")


def to_answer(value: dict[str, Any]) -> Answer:
    """Build an answer from its validated row; sentences are joined by single spaces, their spans and citations kept."""
    references = to_references(value.get("references") or ())
    contexts = tuple(value.get("contexts") or ())
    if value.get("sentences") is None:
        given = tuple(CitedSpan(*span) for span in spans_of(value.get("cited_spans")))
        return Answer(
            value["question_id"], value["system"], value.get("answer") or "", references, given, contexts
        )
    parts: list[str] = []
    spans: list[CitedSpan] = []
    at = 0
    for sentence in value["sentences"]:
        text = sentence if isinstance(sentence, str) else sentence.get("text") or ""
        cited = (
            ()
            if isinstance(sentence, str)
            else tuple(str(as_name(c)) for c in sentence.get("citations") or ())
        )
        at += bool(parts)
        spans.append(CitedSpan(at, at + len(text), cited, is_sentence=True))
        parts.append(text)
        at += len(text)
    return Answer(value["question_id"], value["system"], " ".join(parts), references, tuple(spans), contexts)


def to_document(value: dict[str, Any]) -> Document:
    """Build a document from its validated row."""
    sections = value.get("sections") or ()
    if isinstance(sections, dict):
        parts = tuple(Section(label, text) for label, text in sections.items())
    else:
        parts = tuple(_section(part) for part in sections if part is not None)
    whole = value.get("text") or ""
    if not parts or not all(part.text.strip() in whole for part in parts) and not _is_within(whole, parts):
        parts = (Section("", whole), *parts)
    named = [f"{name}:{value[name]}" for name in IDENTIFIERS if value.get(name)]
    named += [str(as_name(name)) for name in value.get("identifiers") or ()]
    return Document(value["id"], value.get("title"), parts, tuple(named), value.get("url"))


def _is_within(text: str, parts: tuple[Section, ...]) -> bool:
    """Return whether the sections hold a text word for word, an abstract say."""
    return " ".join(text.split()) in " ".join(" ".join(part.text for part in parts).split())


def _section(part: Any) -> Section:
    if isinstance(part, str):
        return Section("", part)
    label = part.get("label") or part.get("title") or part.get("heading") or ""
    return Section(label, part["text"])
