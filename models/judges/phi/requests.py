"""The guard on a request to a model: each text between its fences, or in its JSON, by itself."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import blocks_in, with_blocks
from medassay.models.chat.reply import Complaint
from medassay.models.judges.phi.finding import NOTHING_KNOWN, Known
from medassay.models.judges.phi.grammar import Kind
from medassay.models.judges.phi.guard import Policy, guard_texts
from medassay.models.judges.phi.placeholders import restored

PASSAGE = ".'passage'"
"""Where a request about a citation holds the source's words."""


@dataclass(frozen=True, slots=True)
class GuardedRequest:
    """A request as it may leave, what was found in it, and what the placeholders mean (kept on this machine)."""

    request: Request[Any]
    n_found: Mapping[Kind, int]
    meaning: Mapping[str, str]


def guard_request(request: Request[Any], policy: Policy, known: Known = NOTHING_KNOWN) -> GuardedRequest:
    """Guard what a request says; in a turn that is JSON or has fences, the texts in it one by one.

    Dates in the passage of a source count as they do in a reference. Under `block` all dates do: the run's own texts
    were looked at whole before it began, and a sentence that is cut from them, without its "published on", is no news.
    What is `known` from elsewhere counts, too: a sentence that is sent alone does not say whose name is in it.
    """
    turns = {
        place: _read(turn.content) for place, turn in enumerate(request.messages) if turn.role != "system"
    }
    texts = {
        f"{place}{'/' if policy == 'block' or path == PASSAGE else ''}{path}": text
        for place, value in turns.items()
        for path, text in _texts_in(value)
    }
    counts, clean, meaning = guard_texts(texts, "allow" if policy == "block" else policy, known)
    if not meaning:
        return GuardedRequest(_marked(request), counts, meaning)
    in_json = {placeholder: json.dumps(text)[1:-1] for placeholder, text in meaning.items()}
    fresh = iter(clean.values())
    messages = tuple(
        Message(turn.role, _written(_with(turns[place], fresh), turn.content)) if place in turns else turn
        for place, turn in enumerate(request.messages)
    )
    leaves = replace(request, messages=messages, read=_Restoring(request.read, in_json))
    return GuardedRequest(_marked(leaves), counts, meaning)


def _marked(request: Request[Any]) -> Request[Any]:
    """Name what leaves, so that its calls, whatever is added to ask again, can be told to be of it."""
    return replace(request, guard_key=request.prompt_digest)


@dataclass(frozen=True, slots=True)
class _Restoring:
    """Reads a reply with what its placeholders stand for; what is wrong with it is said without.

    A complaint goes back to the model and quotes the reply: a reply that names a placeholder in the wrong place would
    be told its meaning.
    """

    read: Callable[[str], Any]
    meaning: Mapping[str, str]

    def __call__(self, text: str) -> Any:
        as_it_came = self.read(text)
        whole = restored(text, self.meaning)
        if whole == text:
            return as_it_came
        try:
            return self.read(whole)
        except Complaint:
            raise Complaint("a placeholder in square brackets stands where none can be put back") from None


def _read(content: str) -> Any:
    """Return a turn's material: the texts between its fences, the value where it is JSON, otherwise all of it."""
    if blocks := blocks_in(content):
        return blocks
    try:
        value = json.loads(content)
    except ValueError:
        return content
    return value if isinstance(value, dict | list) else content


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of the material with its path, such as `.'passage'` or `.0.'sentence'`."""
    if isinstance(value, str):
        yield path, value
    for name, part in _parts(value):
        yield from _texts_in(part, f"{path}.{name!r}")


def _with(value: Any, fresh: Iterator[str]) -> Any:
    """Put fresh texts in the places of the old ones, in their order."""
    if isinstance(value, str):
        return next(fresh)
    if isinstance(value, dict):
        return {name: _with(part, fresh) for name, part in value.items()}
    return [_with(part, fresh) for part in value] if isinstance(value, list) else value


def _written(value: Any, content: str) -> str:
    """Write material in the form in which it was read from a turn."""
    if blocks_in(content):
        return with_blocks(content, value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
