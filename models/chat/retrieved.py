"""The sources that a system says it answered from, wherever its server puts them, in one form.

Servers with retrieval have no common form. Read here: `citations` and `search_results` (Perplexity), `context` with
`citations` (Azure OpenAI on your data), `annotations` with `url_citation` (OpenAI), and `documents`, `sources` or
`retrieved_context` as lists of objects (most others), in the body, the choice or the message.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

Source = dict[str, str]
_LISTS = ("citations", "search_results", "documents", "sources", "retrieved_context", "references")
_FIELDS = {
    "document": ("id", "doc_id", "document_id", "docid", "chunk_id"),
    "title": ("title", "name"),
    "url": ("url", "link", "uri", "source_url"),
    "content": ("content", "text", "passage", "snippet", "abstract"),
    "pmid": ("pmid", "PMID"),
    "pmcid": ("pmcid", "PMCID"),
    "doi": ("doi", "DOI"),
    "nct": ("nct", "nct_id"),
}
_PMID = re.compile(r"(?:PMID:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,8})\b", re.IGNORECASE)


def retrieved_sources(body: dict[str, Any]) -> list[Source]:
    """List the sources of a chat completion in the order given, each once; the marker is the place from 1."""
    found: dict[str, Source] = {}
    for entry in _entries(body):
        source = _source(entry)
        if source:
            key = next(
                iter(source[n] for n in ("pmid", "url", "document", "doi", "content", "title") if n in source)
            )
            found[key] = {**source, **found.get(key, {})} if key in found else source
    return [{"marker": str(number), **source} for number, source in enumerate(found.values(), 1)]


def _entries(body: dict[str, Any]) -> Iterator[Any]:
    choices = body.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    message = _object(choice.get("message"))
    context = _object(message.get("context"))
    for place in (body, choice, message, context):
        for name in _LISTS:
            if isinstance(entries := place.get(name), list):
                yield from entries
    annotations = message.get("annotations")
    for annotation in annotations if isinstance(annotations, list) else ():
        yield _object(annotation).get("url_citation")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _source(entry: Any) -> Source:
    """Read one entry: an address, an identifier, or an object."""
    if isinstance(entry, str):
        if not entry.strip():
            return {}
        if named := _PMID.search(entry):
            return {"pmid": named[1]}
        return {"url": entry} if entry.startswith(("http://", "https://")) else {"title": entry}
    if not isinstance(entry, dict):
        return {}
    inner = _object(entry.get("metadata"))
    source: Source = {}
    for name, names in _FIELDS.items():
        value = next(
            (v for n in names for v in (entry.get(n), inner.get(n)) if isinstance(v, str | int) and v != ""),
            None,
        )
        if value is not None and not isinstance(value, bool):
            source[name] = str(value)
    if "pmid" not in source and (named := _PMID.search(source.get("url", ""))):
        source["pmid"] = named[1]
    return source


def sources_to_json(sources: list[Source]) -> str | None:
    """Write sources for the ledger, None where there are none."""
    return json.dumps(sources, ensure_ascii=False) if sources else None
