"""Validated rows → the records that the stages speak of."""

from typing import Any

from models.records import Answer, CitedSpan, Document, GivenNugget, Question, Reference, Section

_REFERENCE_FIELDS = ("marker", "pmid", "pmcid", "doi", "nct", "url", "title", "content", "source", "document")
_REFERENCE_SYNONYMS = {"link": "url", "id": "document", "name": "title", "text": "content", "label": "marker"}
_IDENTIFIERS = ("pmid", "pmcid", "doi", "nct", "url")


def to_question(value: dict[str, Any]) -> Question:
    """Build a question from its validated row."""
    texts = ("reference_answer", "profile", "messages", "guidance", "risk_level", "category", "case_id")
    return Question(
        question_id=value["question_id"],
        question=value["question"],
        nuggets=tuple(_nugget(nugget) for nugget in value.get("nuggets") or ()),
        **{name: value.get(name) or None for name in texts},
    )


def _nugget(nugget: Any) -> GivenNugget:
    if isinstance(nugget, str):
        return GivenNugget(nugget)
    return GivenNugget(nugget["text"], nugget.get("importance") or "vital")


def to_answer(value: dict[str, Any]) -> Answer:
    """Build an answer from its validated row; sentences are joined by single spaces, their citations kept by span."""
    references = tuple(_reference(entry, n) for n, entry in enumerate(value.get("references") or (), 1))
    if value.get("sentences") is None:
        return Answer(value["question_id"], value["system"], value.get("answer") or "", references)
    parts, spans, at = [], [], 0
    for sentence in value["sentences"]:
        text = sentence if isinstance(sentence, str) else sentence.get("text") or ""
        cited = () if isinstance(sentence, str) else tuple(str(c) for c in sentence.get("citations") or ())
        at += bool(parts)
        if cited:
            spans.append(CitedSpan(at, at + len(text), cited))
        parts.append(text)
        at += len(text)
    return Answer(value["question_id"], value["system"], " ".join(parts), references, tuple(spans))


def _reference(entry: Any, number: int) -> Reference:
    if isinstance(entry, str | int):
        text = str(entry)
        return (
            Reference(marker=str(number), pmid=text)
            if text.isdigit()
            else Reference(marker=str(number), title=text)
        )
    fields = {name: entry[name] for name in _REFERENCE_FIELDS if entry.get(name) is not None}
    for other, name in _REFERENCE_SYNONYMS.items():
        if entry.get(other) is not None:
            fields.setdefault(name, entry[other])
    fields.setdefault("marker", str(number))
    return Reference(**{name: str(v) for name, v in fields.items()})


def to_document(value: dict[str, Any]) -> Document:
    """Build a document from its validated row."""
    sections = value.get("sections")
    if isinstance(sections, dict):
        parts = tuple(Section(label, text) for label, text in sections.items())
    elif sections:
        parts = tuple(
            Section("", part) if isinstance(part, str) else Section(part.get("label") or "", part["text"])
            for part in sections
        )
    else:
        parts = (Section("", value["text"]),)
    named = [f"{name}:{value[name]}" for name in _IDENTIFIERS if value.get(name)]
    return Document(
        value["id"], value.get("title"), parts, (*named, *(value.get("identifiers") or ())), value.get("url")
    )
