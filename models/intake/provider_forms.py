"""Answers in providers' formats: text blocks, citations by position or number.

Read are OpenAI's chat completions and responses (`annotations` with `url_citation`), Perplexity's `citations` and
`search_results`, Anthropic's content blocks, Cohere's `citations` with `document_ids`, Gemini's grounding chunks and
supports, and the retrieved contexts of RAGAS, LangChain and LlamaIndex.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

Row = dict[str, Any]
_TEXT_BLOCKS = ("text", "output_text")
_HOLDERS = ("answer", "output", "response", "message", "choices", "candidates", "content")
_LISTS = ("search_results", "contexts", "source_documents", "source_nodes", "retrieved_contexts")
RETRIEVED = ("contexts", "retrieved_contexts", "source_documents", "source_nodes")
TEXTS = ("content", "text", "page_content", "passage", "segment", "snippet")
_TRACKING = re.compile(r"(?:^|&)utm_[^&]*")
_RAGFLOW = re.compile(r"##(\d{1,3})\$\$")


@dataclass
class _Cited:
    """An answer's text, its sources in order, and which of them each span cites."""

    text: str = ""
    sources: list[Row] = field(default_factory=list)
    spans: list[Row] = field(default_factory=list)

    def cite(self, start: int, end: int, source: Row) -> None:
        """Cite a source for a span; sources that are the same share a number."""
        if source not in self.sources:
            self.sources.append(source)
        self.name(start, end, [str(self.sources.index(source) + 1)])

    def name(self, start: int, end: int, names: list[str]) -> None:
        if start < end and names:
            self.spans.append({"start": start, "end": end, "citations": names})


def read_provider_form(row: Row) -> Row:
    """Return an answer's row with its text as text, its sources as references and what it cites by span.

    What was retrieved stays as `contexts`, a list of texts, whether or not it is the reference list too. A row that has
    none of the forms is returned as it is.
    """
    read, contexts = _without_contexts(row), contexts_of(row)
    return (
        {n: v for n, v in read.items() if n not in RETRIEVED} | {"contexts": contexts} if contexts else read
    )


def contexts_of(row: Row) -> list[str]:
    """Return the texts that a row says were retrieved, in their order; addresses alone are none."""
    held = next((row[name] for name in RETRIEVED if row.get(name)), ())
    listed = held if isinstance(held, list) else [held]
    entries = [_entry(one) for one in listed if isinstance(one, str | dict)]
    texts = (next((e[n] for n in TEXTS if isinstance(e.get(n), str)), "") for e in entries)
    return [text for text in texts if text.strip()]


def _without_contexts(row: Row) -> Row:
    cited = _Cited()
    taken: set[str] = set()
    for name in _HOLDERS:
        value = row.get(name)
        if name == "content" and "role" not in row and not _are_blocks(value):
            continue
        if isinstance(value, dict | list) and _take(
            cited, {name: value} if name in ("choices", "candidates") else value
        ):
            taken.add(name)
            break
    text = cited.text if taken else row.get("answer", row.get("output", row.get("response")))
    if not isinstance(text, str):
        return row
    cited.text = text
    taken |= _beside(cited, row)
    if marks := _RAGFLOW.findall(text):
        shift = int("0" in marks)
        text = _RAGFLOW.sub(lambda mark: f"[{int(mark[1]) + shift}]", text)
        taken.add("answer")
    if not taken:
        return row
    kept = {name: value for name, value in row.items() if name not in taken}
    kept["answer"] = text
    if cited.sources and row.get("references") is None:
        kept["references"] = [{"marker": str(n), **source} for n, source in enumerate(cited.sources, 1)]
    if cited.spans:
        kept["cited_spans"] = cited.spans
    return kept


def is_provider_form(record: Row) -> bool:
    """Return whether an answer in a record is a provider's object or list of blocks, not a text."""
    return any(
        _take(_Cited(), record[name])
        for name in ("answer", "output", "response")
        if isinstance(record.get(name), dict | list)
    )


def _are_blocks(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in value)
    )


def _take(cited: _Cited, value: Any) -> bool:
    """Read a provider's object into text and citations; say whether it is one."""
    if _are_blocks(value):
        return all([_block(cited, block) for block in value]) and bool(cited.text)
    if not isinstance(value, dict):
        return False
    for name in ("choices", "candidates"):
        if isinstance(listed := value.get(name), list) and listed and isinstance(listed[0], dict):
            inner = listed[0].get("message", listed[0])
            return _take(cited, inner) and (_beside(cited, value) is not None)
    if isinstance(value.get("output"), list):
        return _take(cited, value["output"])
    content = value.get("content")
    if isinstance(content, dict) and isinstance(parts := content.get("parts"), list):  # Gemini
        cited.text += "".join(
            p["text"]
            for p in parts
            if isinstance(p, dict) and isinstance(p.get("text"), str) and not p.get("thought")
        )
        _beside(cited, value)
        return bool(cited.text)
    if "role" not in value and value.get("type") != "message":
        return False
    if isinstance(content, str):
        cited.text += content
        _beside(cited, value)
        return True
    return _are_blocks(content) and _take(cited, content)


def _block(cited: _Cited, block: Row) -> bool:
    """Read one block; what is no text (a search, a thought) says nothing."""
    if block["type"] == "message":
        return _take(cited, block)
    text = block.get("text")
    if block["type"] not in _TEXT_BLOCKS or not isinstance(text, str):
        return block["type"] not in _TEXT_BLOCKS
    start = len(cited.text)
    cited.text += text
    for citation in block.get("citations") or ():
        if isinstance(citation, dict):
            cited.cite(start, start + len(text.rstrip()), _source(citation))
    _annotations(cited, block.get("annotations"), start)
    return True


def _beside(cited: _Cited, value: Row) -> set[str]:
    """Read the citations that stand beside a text; return the names of the fields that were."""
    read: set[str] = set()
    if isinstance(annotations := value.get("annotations"), list) and _annotations(cited, annotations, 0):
        read.add("annotations")
    for name in ("groundingMetadata", "grounding_metadata"):
        if isinstance(value.get(name), dict) and _grounding(cited, value[name]):
            read.add(name)
    if value.get("references") is not None:
        return read
    listed = value.get("citations")
    if isinstance(listed, list) and listed:
        if _places(cited, listed):
            read.add("citations")
        elif not cited.sources and all(isinstance(one, str | dict) for one in listed):
            cited.sources += [_entry(one) for one in listed]
            read.add("citations")
    for name in _LISTS:
        held = value.get(name)
        held = [held] if isinstance(held, str) and held.strip() else held
        if isinstance(held, list) and held and all(isinstance(one, str | dict) for one in held):
            if not cited.sources and not cited.spans:
                cited.sources += [_entry(one) for one in held]
                read.add(name)
            elif name == "search_results":
                read.add(name)  # the same addresses as in `citations`, with their titles
    return read


def _annotations(cited: _Cited, annotations: Any, offset: int) -> bool:
    found = False
    for annotation in annotations if isinstance(annotations, list) else ():
        if not isinstance(annotation, dict):
            continue
        inner = next(
            (v for n, v in annotation.items() if n.endswith("_citation") and isinstance(v, dict)), annotation
        )
        start, end = _place({**annotation, **inner})
        if start is not None and end is not None:
            cited.cite(offset + start, offset + end, _source(inner))
            found = True
    return found


def _places(cited: _Cited, citations: list[Any]) -> bool:
    """Read Cohere's citations: places with ids of documents, or with the documents."""
    placed = [(c, *_place(c)) for c in citations if isinstance(c, dict)]
    if len(placed) < len(citations) or any(start is None or end is None for _, start, end in placed):
        return False
    for citation, start, end in placed:
        ids = citation.get("document_ids") or citation.get("documentIds")
        if isinstance(ids, list):
            cited.name(start or 0, end or 0, [str(one) for one in ids])
            continue
        held = citation.get("sources")
        for source in held if isinstance(held, list) else [citation]:
            if isinstance(source, dict):
                document = source.get("document")
                cited.cite(
                    start or 0,
                    end or 0,
                    _source({**source, **document} if isinstance(document, dict) else source),
                )
    return True


def _grounding(cited: _Cited, metadata: Row) -> bool:
    """Read Gemini's grounding: its places count bytes."""
    chunks = [
        c
        for c in metadata.get("groundingChunks") or metadata.get("grounding_chunks") or ()
        if isinstance(c, dict)
    ]
    sources = [_source(next((v for v in chunk.values() if isinstance(v, dict)), chunk)) for chunk in chunks]
    encoded = cited.text.encode()
    for support in metadata.get("groundingSupports") or metadata.get("grounding_supports") or ():
        segment = support.get("segment") or {}
        start, end = (len(encoded[: at or 0].decode(errors="ignore")) for at in _place(segment))
        for index in support.get("groundingChunkIndices") or support.get("grounding_chunk_indices") or ():
            if isinstance(index, int) and index < len(sources):
                cited.cite(start, end, sources[index])
    return bool(sources)


def _place(value: Row) -> tuple[int | None, int | None]:
    def first(*names: str) -> int | None:
        return next(
            (value[n] for n in names if isinstance(value.get(n), int) and not isinstance(value[n], bool)),
            None,
        )

    end = first("end_index", "endIndex", "end")
    start = first("start_index", "startIndex", "start")
    return (0 if start is None and end is not None and "endIndex" in value else start), end


def _source(citation: Row) -> Row:
    """Return a citation as an entry of a reference list."""
    names = {
        "url": ("url", "uri"),
        "title": ("document_title", "title", "filename", "file_name"),
        "content": ("cited_text", "quote", "snippet", "text"),
        "document": ("file_id", "document_id", "id"),
    }
    found = {
        ours: str(value)
        for ours, theirs in names.items()
        if (value := next((citation[n] for n in theirs if citation.get(n)), None)) is not None
    }
    if "url" in found:
        found["url"] = _address(found["url"])
        found.pop("content", None) if citation.get("type") == "url_citation" else None
    return found


def _entry(entry: str | Row) -> Row:
    if isinstance(entry, str):
        return {"url": _address(entry)} if re.match(r"https?://\S+\Z", entry.strip()) else {"content": entry}
    inner = entry.get("node")
    held = inner if isinstance(inner, dict) else entry
    if isinstance(resource := held.get("text_resource"), dict) and "text" not in held:  # LlamaIndex 0.12
        held = {**held, "text": resource.get("text")}
    return {n: v for n, v in held.items() if n not in ("score", "marker", "text_resource")}


def _address(url: str) -> str:
    """Return an address without what providers add to it to count visits."""
    parts = urlsplit(url.strip())
    query = _TRACKING.sub("", parts.query).lstrip("&")
    return urlunsplit(parts._replace(query=query))
