"""Response bodies: replies, retrieved sources, errors inside a 200, and why the server refused."""

import base64
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from medassay.models.chat.concurrency import LONGEST_WAIT_S
from medassay.models.chat.conversation import Request
from medassay.models.chat.json_objects import printable
from medassay.models.chat.ledger import CallStatus

LONGEST_ERROR_CHARS = 400
MOST_TOKENS = 1_000_000_000
"""More than any call can have; beyond it a server's count is a fault of its own."""
_ECHOES = frozenset({"failed_generation", "input", "ctx", "url", "body", "messages"})
"""Where servers repeat the request or a reply in an error: a word there is not theirs."""
_TOO_LONG = (
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size",
    "exceeds the available context",
    "context window",
    "contextwindowexceeded",
    "prompt is too long",
    "maximum model length",
    "greater than the context length",
    "exceeds the maximum number of tokens",
    "`inputs` tokens + `max_new_tokens` must be",
    "please reduce the length of the messages",
)
_FILTERS = frozenset(
    {"content_filter", "safety", "prohibited_content", "blocklist", "spii", "recitation", "language"}
)
_USED = ("prompt_tokens", "completion_tokens")
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})

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


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one call."""

    status: CallStatus
    error: str | None = None
    raw_text: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    retrieved: str | None = None
    http_status: int | None = None


def read_body(request: Request[Any], text: str) -> Answered:
    """Read the body of a 200: the reply with its figures, or what is wrong with it."""
    try:
        body = printable(_json(text))
        if request.embeds:
            return Answered("ok", None, _vectors(body), **_figures(body))
        choices = body["choices"]
        common = _figures(body)
        if not choices:
            return Answered("empty", "no choices", **common)
        choice = choices[0]
        message = {"content": choice["text"]} if request.continued else choice["message"]
        finish = choice.get("finish_reason")
        refusal = message.get("refusal")
        content = _content(request, choice)
        calls_tools = bool(message.get("tool_calls") or message.get("function_call"))
    except (
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        RecursionError,
        struct.error,
        OverflowError,
    ):
        return Answered("junk", f"body begins {text[:120]!r}")
    common["finish_reason"] = finish if isinstance(finish, str) else None
    if calls_tools and not (content or "").strip():
        return Answered("empty", "the model called a tool and wrote nothing", **common)
    return _ended(request, content, refusal, common)


def _ended(request: Request[Any], content: str | None, refusal: Any, common: dict[str, Any]) -> Answered:
    """Describe how a reply ended, by the names that servers give to that."""
    finish = common["finish_reason"]
    how = (finish or "").lower().partition(":")[0].strip()
    if refusal:
        return Answered("refusal", str(refusal)[:LONGEST_ERROR_CHARS], str(refusal), **common)
    if how in _FILTERS:
        return Answered("content_filter", None, content, **common)
    has_text = bool((content or "").strip())
    if how == "refusal":
        return Answered("refusal", (content or "")[:LONGEST_ERROR_CHARS] or None, content, **common)
    if how == "error":
        return Answered("empty", "the server broke the reply off: finish reason error", **common)
    if not has_text and how not in _CUT:
        return Answered("empty", f"empty content, finish reason {finish}", **common)
    takes_cut = has_text and (request.reads_probabilities or request.takes_cut)
    return Answered("length" if how in _CUT and not takes_cut else "ok", None, content, **common)


def refusal_of(code: int, text: str, retry_after_s: float | None) -> Answered | None:
    """Describe what a refusal means that no other form of the request would change; None for any other."""
    error = http_error(code, text)
    if retry_after_s is not None and retry_after_s > LONGEST_WAIT_S:
        error += f" (it asks to wait {retry_after_s:.0f} s)"
    if code == 429 and "insufficient_quota" not in text:
        return Answered("rate_limited", error=error)
    said = said_in(text).lower()
    if code in (400, 413, 422, 500) and any(sign in said for sign in _TOO_LONG):
        return Answered("too_long", error=error)
    if code == 400 and ("content_filter" in said or "content management policy" in said):
        return Answered("content_filter", error=error)
    return None


def code_within(text: str) -> int | None:
    """Return the status that a body gives itself where it holds an error and no reply, as proxies send with a 200."""
    if '"error"' not in text:
        return None
    try:
        body = _json(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or body.get("choices") or not isinstance(body.get("error"), dict):
        return None
    code = body["error"].get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else None


def said_in(text: str) -> str:
    """Return the words of an error body that are the server's own."""
    try:
        return json.dumps(_without_echoes(_json(text)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def http_error(code: int, text: str) -> str:
    """Return an error in one line: its status and the server's message, without what it repeats of the request."""
    try:
        body = _without_echoes(_json(text))
        error = body.get("error", body) if isinstance(body, dict) else body
        text = str(error.get("message", error)) if isinstance(error, dict) else str(error)
    except (ValueError, RecursionError):
        pass
    return f"HTTP {code}: {printable(' '.join(text.split()))[:LONGEST_ERROR_CHARS]}"


def _without_echoes(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_echoes(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_echoes(one) for name, one in value.items() if name not in _ECHOES}
    return value


def _json(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def _figures(body: dict[str, Any]) -> dict[str, Any]:
    """Read what a response says of itself; what is no such figure is left out, and the reply counts all the same."""
    usage = _object(body.get("usage"))
    prompt, completion = (_count(usage.get(name)) for name in _USED)
    if prompt == completion == 0:
        # No call takes nothing: a server that says so does not count.
        prompt = completion = None
    details = _object(usage.get("prompt_tokens_details"))
    model = body.get("model")
    return {
        "model": model if isinstance(model, str) else None,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached_tokens": _count(details.get("cached_tokens")),
        "retrieved": sources_to_json(retrieved_sources(body)),
    }


def _text_of(content: Any) -> str | None:
    """Return a message's text, which some servers send in parts; a part of another kind (thinking) is not the reply."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise TypeError("content is no text")
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def _content(request: Request[Any], choice: dict[str, Any]) -> str | None:
    """Return what is read of a reply: its text, or how likely its first token was."""
    if request.top_logprobs is not None:
        return _first_token(choice)
    return _text_of(choice["message"].get("content"))


def _first_token(choice: dict[str, Any]) -> str:
    """Return the log-probabilities of the first token's alternatives as a JSON object.

    A text that is continued has them in the older form, `[{token: logprob, …}]`, on most servers.
    """
    listed = choice["logprobs"]
    if not listed.get("content"):
        return json.dumps(
            {token: float(logprob) for token, logprob in listed["top_logprobs"][0].items()},
            ensure_ascii=False,
        )
    alternatives = listed["content"][0]["top_logprobs"]
    return json.dumps({entry["token"]: float(entry["logprob"]) for entry in alternatives}, ensure_ascii=False)


def _vectors(body: dict[str, Any]) -> str:
    """Return a reply's vectors in the texts' order, each as float32 in base64, which is short and exact."""
    rows = sorted(body["data"], key=lambda row: row["index"])
    packed = (struct.pack(f"<{len(row['embedding'])}f", *row["embedding"]) for row in rows)
    return json.dumps([base64.b64encode(one).decode("ascii") for one in packed])


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """Return a number of tokens, None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


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
