"""Validated rows → the records that the stages speak of."""

from collections.abc import Sequence
from typing import Any

from models.intake.names import IDENTIFIERS, as_name
from models.records import Answer, CitedSpan, Document, GivenNugget, Question, Reference, Section
from models.text.references.entries import entry_as_written

_REFERENCE_FIELDS = ("marker", "pmid", "pmcid", "doi", "nct", "url", "title", "content", "source", "document")
_REFERENCE_SYNONYMS = {
    "label": "marker", "number": "marker", "link": "url", "name": "title", "text": "content", "passage": "content",
    "id": "document", "document_id": "document", "doc_id": "document", "docid": "document",
    "ref": "marker", "ref_id": "marker", "citation_number": "marker", "citation_id": "marker", "key": "marker",
    "citation": "title", "reference": "title", "uri": "url", "href": "url", "pubmed_id": "pmid",
    "PMID": "pmid", "PMCID": "pmcid", "pmc": "pmcid", "DOI": "doi", "NCT": "nct", "nct_id": "nct",
}  # fmt: skip


def to_question(value: dict[str, Any]) -> Question:
    """Build a question from its validated row."""
    texts = ("reference_answer", "profile", "messages", "guidance", "risk_level", "category", "case_id")
    return Question(
        question_id=value["question_id"],
        question=value["question"],
        nuggets=tuple(_nugget(nugget) for nugget in value.get("nuggets") or ()),
        **{name: _given(value.get(name)) for name in texts},
    )


def _given(text: str | None) -> str | None:
    """Return a text that says something; a blank one was not given."""
    return text if text and text.strip() else None


def _nugget(nugget: Any) -> GivenNugget:
    if isinstance(nugget, str):
        return GivenNugget(nugget)
    return GivenNugget(nugget["text"], nugget.get("importance") or "vital")


def to_answer(value: dict[str, Any]) -> Answer:
    """Build an answer from its validated row; sentences are joined by single spaces, their citations kept by span."""
    references = _references(value.get("references") or ())
    if value.get("sentences") is None:
        return Answer(value["question_id"], value["system"], value.get("answer") or "", references)
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
        if cited:
            spans.append(CitedSpan(at, at + len(text), cited))
        parts.append(text)
        at += len(text)
    return Answer(value["question_id"], value["system"], " ".join(parts), references, tuple(spans))


def _references(listed: Sequence[Any] | dict[Any, Any]) -> tuple[Reference, ...]:
    """Read a reference list, or references by their labels."""
    if isinstance(listed, dict):
        return tuple(_reference(entry, str(label)) for label, entry in listed.items())
    return tuple(_reference(entry, str(n)) for n, entry in enumerate(listed, 1))


def _reference(entry: Any, marker: str) -> Reference:
    """Read one entry of a reference list; without a marker of its own it stands under the given one."""
    if not isinstance(entry, dict):
        return entry_as_written(str(as_name(entry)), marker)
    fields = {name: entry[name] for name in _REFERENCE_FIELDS if entry.get(name) not in (None, "")}
    for other, name in _REFERENCE_SYNONYMS.items():
        if entry.get(other) not in (None, ""):
            fields.setdefault(name, entry[other])
    fields.setdefault("marker", marker)
    return Reference(**{name: str(v if name == "content" else as_name(v)) for name, v in fields.items()})


def to_document(value: dict[str, Any]) -> Document:
    """Build a document from its validated row."""
    sections = value.get("sections")
    if isinstance(sections, dict):
        parts = tuple(Section(label, text) for label, text in sections.items())
    elif sections:
        parts = tuple(_section(part) for part in sections if part is not None)
    else:
        parts = (Section("", value["text"]),)
    named = [f"{name}:{value[name]}" for name in IDENTIFIERS if value.get(name)]
    named += [str(as_name(name)) for name in value.get("identifiers") or ()]
    return Document(value["id"], value.get("title"), parts, tuple(named), value.get("url"))


def _section(part: Any) -> Section:
    if isinstance(part, str):
        return Section("", part)
    label = part.get("label") or part.get("title") or part.get("heading") or ""
    return Section(label, part["text"])
