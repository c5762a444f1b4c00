"""The guard on what leaves this machine: looked at before the first byte goes to a model elsewhere."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from models.chat.conversation import Message, Request
from models.chat.endpoint import Endpoint
from models.chat.fence import blocks_in, with_blocks
from models.chat.reply import Complaint
from models.judges.choosing import endpoints_of
from models.judges.judgement import JudgeInput
from models.judges.phi.grammar import Kind
from models.judges.phi.guard import (
    Guarded,
    Policy,
    count_phi,
    guard,
    guard_texts,
    in_words,
    restored,
)
from models.settings import Settings
from sql.warehouse import Row, Warehouse
from tasks.run import RunRef
from tasks.stages import Step

SHOWN_PLACES = 10
QUESTION_FIELDS = ("question", "profile", "messages", "guidance", "risk_level", "reference_answer")
WHAT_TO_DO = (
    "choose --phi redact to send placeholders in their place, --phi allow if the data names nobody, "
    "or a model on this machine"
)
PASSAGE = ".'passage'"
"""Where a request about a citation holds the source's words."""
Counts = Mapping[Kind, int]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one request, and what the placeholders in it mean."""

    n_found: Counts
    meaning: Mapping[str, str]


class PhiFound(Exception):
    """Something that may name a patient would have left the machine; says where and what kind, never the text."""


def policy_at(settings: Settings, endpoint: Endpoint | None) -> Policy | None:
    """Return what holds for texts on their way to an endpoint, None where they stay on this machine."""
    return None if endpoint is None or endpoint.is_loopback else settings.phi


def refuse_phi(run: RunRef) -> None:
    """Look at every question, nugget and answer before any stage asks a model elsewhere.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    elsewhere = [e for e in endpoints_of(run.settings) if policy_at(run.settings, e) == "block"]
    if not elsewhere:
        return
    places: list[tuple[str, Counts]] = []
    for row in run.warehouse.rows("from current_question order by question_id"):
        for name in QUESTION_FIELDS:
            places.append((f"question {row['question_id']}, {name}", count_phi({name: row[name] or ""})))
    for row in run.warehouse.rows(
        "from current_question join current_nugget using (nugget_set_key) order by question_id, position"
    ):
        where = f"question {row['question_id']}, nugget {row['position'] + 1}"
        places.append((where, count_phi({"nugget": row["text"]})))
    for row in run.warehouse.rows("from current_answer order by question_id, system"):
        where = f"answer of {row['system']} to {row['question_id']}"
        places.append((where, count_phi({"answer": row["text"], **_reference_texts(row)})))
    refuse(places, elsewhere)


def _reference_texts(row: Row) -> dict[str, str]:
    return {
        f"{number}/{name}": value
        for number, reference in enumerate(json.loads(row["reference_list"]))
        for name, value in reference.items()
        if isinstance(value, str)
    }


def refuse(places: Sequence[tuple[str, Counts]], endpoints: Sequence[Endpoint]) -> None:
    """Refuse to go on where anything was found.

    Raises:
        PhiFound: naming the first places, and what to do.
    """
    found = [(where, counts) for where, counts in places if counts]
    if not found:
        return
    shown = [f"  {where}: {in_words(counts)}" for where, counts in found[:SHOWN_PLACES]]
    if len(found) > SHOWN_PLACES:
        shown.append(f"  and {len(found) - SHOWN_PLACES} more")
    names = ", ".join(dict.fromkeys(endpoint.label for endpoint in endpoints))
    raise PhiFound(
        "\n".join(
            [
                f"{len(found)} texts may name a patient, and {names} is not on this machine; none of them was sent:",
                *shown,
                WHAT_TO_DO,
            ]
        )
    )


def guarded_inputs(
    step: Step, endpoint: Endpoint | None, inputs: Sequence[JudgeInput]
) -> list[tuple[JudgeInput, Mapping[str, str]]]:
    """Return judge inputs as they may leave, and what their placeholders mean; every one has its audit line.

    Raises:
        PhiFound: under `block`, when anything was found in any of them; none was sent then.
    """
    policy = policy_at(step.settings, endpoint)
    if policy is None or endpoint is None:
        return [(shown, {}) for shown in inputs]
    looked = [guard(shown, "allow" if policy == "block" else policy) for shown in inputs]
    audit(step, endpoint, policy, [(i.input_key, g) for i, g in zip(inputs, looked, strict=True)])
    if policy == "block":
        refuse(
            [(f"judge input {i.input_key}", g.n_found) for i, g in zip(inputs, looked, strict=True)],
            [endpoint],
        )
    return [(guarded.judge_input, guarded.meaning) for guarded in looked]


def guarded_requests(step: Step, endpoint: Endpoint, requests: Sequence[Request[Any]]) -> list[Request[Any]]:
    """Return requests as they may leave; what they read has the placeholders' meaning put back.

    Raises:
        PhiFound: under `block`, when anything was found in any of them; none was sent then.
    """
    policy = policy_at(step.settings, endpoint)
    if policy is None:
        return list(requests)
    looked = [_guarded_request(request, policy) for request in requests]
    audit(step, endpoint, policy, [(r.prompt_digest, g) for r, (_, g) in zip(requests, looked, strict=True)])
    if policy == "block":
        places = [(f"request about {r.item_key}", g.n_found) for r, g in looked]
        refuse(places, [endpoint])
    return [request for request, _ in looked]


def _guarded_request(request: Request[Any], policy: Policy) -> tuple[Request[Any], Found]:
    """Guard what a request says; in a turn that is JSON or has fences, the texts in it one by one.

    Dates in the passage of a source count as they do in a reference. Under `block` all dates do: the run's own texts
    were looked at whole before it began, and a sentence that is cut from them, without its "published on", is no news.
    """
    turns = {
        place: _read(turn.content) for place, turn in enumerate(request.messages) if turn.role != "system"
    }
    texts = {
        f"{place}{'/' if policy == 'block' or path == PASSAGE else ''}{path}": text
        for place, value in turns.items()
        for path, text in _texts_in(value)
    }
    counts, clean, meaning = guard_texts(texts, "allow" if policy == "block" else policy)
    found = Found(counts, meaning)
    if not meaning:
        return request, found
    in_json = {placeholder: json.dumps(text)[1:-1] for placeholder, text in meaning.items()}
    fresh = iter(clean.values())
    messages = tuple(
        Message(turn.role, _written(_with(turns[place], fresh), turn.content)) if place in turns else turn
        for place, turn in enumerate(request.messages)
    )
    return replace(request, messages=messages, read=_Restoring(request.read, in_json)), found


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


def audit(
    step: Step, endpoint: Endpoint, policy: Policy, looked: Sequence[tuple[str, Guarded | Found]]
) -> None:
    """Write one line a text: what was found by kind, what was done, and what placeholders mean here."""
    run_id, warehouse = step.run.run_id, step.warehouse
    audit_lines(
        warehouse, run_id, step.stage, endpoint, policy, [(name, one.n_found) for name, one in looked]
    )
    warehouse.insert(
        "phi_meaning",
        [
            {
                "run_id": run_id,
                "stage": step.stage,
                "input_key": name,
                "meaning": json.dumps(dict(guarded.meaning), ensure_ascii=False),
            }
            for name, guarded in looked
            if guarded.meaning
        ],
    )


def audit_lines(
    warehouse: Warehouse,
    run_id: str | None,
    stage: str,
    endpoint: Endpoint,
    policy: Policy,
    found: Sequence[tuple[str, Counts]],
) -> None:
    """Write what was found in each text by kind, and what was done; `run_id` is None for what belongs to no run."""
    action = {"block": "blocked", "redact": "redacted", "allow": "allowed"}[policy]
    warehouse.insert(
        "phi_audit",
        [
            {
                "run_id": run_id,
                "stage": stage,
                "endpoint": endpoint.identity,
                "input_key": name,
                "action": action if counts else "clean",
                "kinds": json.dumps(dict(counts)),
            }
            for name, counts in found
        ],
    )
