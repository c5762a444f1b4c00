"""Documents that came with the data: asked first, under their own id and under the names they carry."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

from medassay.models.records import Document, Section, SeveralDocuments, SourceRecord
from medassay.models.sources.identifiers import page_of, parse_source_id, recognised
from medassay.models.sources.passages import LIMIT, breaks_of
from medassay.models.sources.resolver import Progress, Resolution
from medassay.models.text.identifiers.fields import FIELD_SCHEMES, named_in_field
from medassay.models.text.identifiers.reading import url_source_id

_LONGEST_ABSTRACT = 5000
_BLANK_LINE = re.compile(r"\S\s*\n[^\S\n]*\n\s*\S")


class Supplied:
    """Resolves `document:<id>`, and any identifier or address that a supplied document goes by.

    A document without text answers for its own id only: another source may have the text. Several that carry one
    identifier answer for it together.
    """

    name = "supplied"

    def __init__(self, documents: Iterable[Document]) -> None:
        self._records: dict[str, list[SourceRecord]] = {}
        for document in documents:
            record = record_of_document(document)
            for name in record.identifiers if record.sections else (record.source_id,):
                self._records.setdefault(name, []).append(record)

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Answer from memory; what is not supplied is left alone, save document ids, of which all are known."""
        found = {
            name: replace(in_parts(self._records[name]), source_id=name)
            for name in source_ids
            if name in self._records
        }
        unknown = {
            name: "the data holds no document of this id"
            for name in source_ids
            if name.startswith("document:") and name not in found
        }
        if on_progress is not None and found:
            on_progress(len(found))
        return Resolution(
            found=found, not_found=unknown, origins=dict.fromkeys((*found, *unknown), self.name)
        )


def record_of_document(document: Document) -> SourceRecord:
    """Turn a supplied document into a record; nobody has checked its standing."""
    names = [f"document:{document.document_id}"]
    for raw in (*document.identifiers, *([document.url] if document.url else ())):
        names.append(_name(raw))
    sections = tuple(section for section in document.sections if section.text.strip())
    pages = (page_of(name) for name in names[1:])
    return SourceRecord(
        source_id=names[0],
        title=document.title,
        sections=sections,
        url=document.url or next((page for page in pages if page), None),
        identifiers=tuple(dict.fromkeys(names)),
        full_text=_is_long(sections),
    )


def in_parts(records: Sequence[SourceRecord]) -> SourceRecord:
    """Read documents that carry one identifier as one source: the first one's name and title, the words of all once.

    What one document says is no part of another's passages, so that one may support and another contradict.
    """
    if len(records) == 1:
        return records[0]
    sections: list[Section] = []
    breaks: list[int] = []
    for record in records:
        new = [s for s in record.sections if not any(s.text in earlier.text for earlier in sections)]
        if new and sections:
            breaks.append(len(sections))
        breaks += [len(sections) + at for at in breaks_of(record)]
        sections += new
    first = {field.name: getattr(records[0], field.name) for field in fields(SourceRecord)}
    return SeveralDocuments(
        **{**first, "sections": tuple(sections), "full_text": _is_long(sections)}, breaks=tuple(breaks)
    )


def _is_long(sections: Sequence[Section]) -> bool:
    """Tell whether a text is read paragraph by paragraph: no abstract is as long, or has paragraphs in its sections."""
    length = sum(len(section.text) for section in sections)
    return length > _LONGEST_ABSTRACT or (
        length > LIMIT and any(_BLANK_LINE.search(section.text) for section in sections)
    )


def _name(raw: str) -> str:
    if raw.startswith(("http://", "https://")):
        return url_source_id(raw)
    try:
        scheme, value = parse_source_id(raw)
    except ValueError:
        return recognised(raw) or f"document:{raw}"
    if scheme in FIELD_SCHEMES:
        return named_in_field(scheme, value) or f"document:{raw}"
    return raw if scheme in ("document", "reference") else recognised(raw) or raw
