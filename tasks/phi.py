"""PHI guard: check material for patient data before the first byte goes to a remote model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from medassay.models.chat.conversation import Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.judges.choosing import endpoints_of
from medassay.models.judges.judgement import JudgeInput
from medassay.models.phi.finding import FoundValues
from medassay.models.phi.grammar import Kind
from medassay.models.phi.guard import (
    PATIENTS_OWN,
    Policy,
    count_phi,
    guard,
    guard_request,
    in_words,
    known_from,
)
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.parts.part import Place
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Step

Counts = Mapping[Kind, int]
ACTIONS: Mapping[Policy, str] = {"block": "blocked", "redact": "redacted", "allow": "allowed"}

SHOWN_PLACES = 10
STAGE = "validate"
"""After which a run's texts are looked at, before any other stage."""
QUESTION_FIELDS = ("question", "profile", "messages", "guidance", "risk_level", "reference_answer")
WHAT_TO_DO = (
    "choose --phi redact to send placeholders in their place, --phi allow if the data names nobody, "
    "or a model on this machine"
)


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in one text, named by what it is about and by what leaves of it, and what placeholders mean."""

    input_key: str
    guard_key: str
    n_found: Counts
    meaning: Mapping[str, str] = field(default_factory=dict)


def audit(step: Step, endpoint: Endpoint, policy: Policy, looked: Sequence[Looked]) -> None:
    """Write one line a text, to which its calls can be told: what was found, what was done, what placeholders mean."""
    run_id, warehouse = step.run.run_id, step.warehouse
    audit_lines(warehouse, run_id, step.stage, endpoint, policy, looked)
    warehouse.insert(
        "phi_meaning",
        [
            {
                "run_id": run_id,
                "stage": step.stage,
                "guard_key": one.guard_key,
                "meaning": json.dumps(dict(one.meaning), ensure_ascii=False),
            }
            for one in looked
            if one.meaning
        ],
    )


def audit_lines(
    warehouse: Warehouse,
    run_id: str | None,
    stage: str,
    endpoint: Endpoint,
    policy: Policy,
    looked: Sequence[Looked],
) -> None:
    """Write what was found in each text by kind, and what was done; `run_id` is None for what belongs to no run."""
    now = datetime.now(UTC)
    warehouse.insert(
        "phi_audit",
        [
            {
                "run_id": run_id,
                "stage": stage,
                "endpoint": endpoint.identity,
                "input_key": one.input_key,
                "guard_key": one.guard_key,
                "action": ACTIONS[policy] if one.n_found else "clean",
                "kinds": json.dumps(dict(one.n_found)),
                "checked_at": now,
            }
            for one in looked
        ],
    )


class PhiFound(Exception):
    """Something that may name a patient would have left the machine; says where and what kind, never the text."""


def policy_at(settings: Settings, endpoint: Endpoint | None) -> Policy | None:
    """Return what holds for texts on their way to an endpoint, None where they stay on this machine."""
    return None if endpoint is None or endpoint.is_loopback else settings.phi


def parts_elsewhere(run: RunRef) -> Endpoint | None:
    """Return the place that a run's parts are sent to, None where they stay among the files of this machine."""
    settings = run.settings
    if settings.on == "here" or settings.storage is None or Place(settings.storage).is_here:
        return None
    return Endpoint(settings.storage, "parts", known_as=settings.storage)


def refuse_phi(run: RunRef) -> None:
    """Look at every question, nugget and answer before any stage asks a model elsewhere.

    What stops a run is written down like what leaves.

    Raises:
        PhiFound: under `block`, naming the places.
    """
    places_elsewhere = [*endpoints_of(run.settings), parts_elsewhere(run)]
    elsewhere = [e for e in places_elsewhere if e is not None and policy_at(run.settings, e) == "block"]
    if not elsewhere:
        return
    places = [(where, counts) for where, counts in _places(run) if counts]
    for endpoint in elsewhere:
        stopped = [Looked(where, where, counts) for where, counts in places]
        audit_lines(run.warehouse, run.run_id, STAGE, endpoint, "block", stopped)
    refuse(places, elsewhere)


def _places(run: RunRef) -> Iterator[tuple[str, Counts]]:
    """Look at every question, nugget and answer of a run, the references and contexts of answers among them."""
    for row in run.warehouse.rows("from current_question order by question_id"):
        for name in QUESTION_FIELDS:
            yield f"question {row['question_id']}, {name}", count_phi({name: row[name] or ""})
    for row in run.warehouse.rows(
        "from current_question join current_nugget using (nugget_set_key) order by question_id, position"
    ):
        where = f"question {row['question_id']}, nugget {row['position'] + 1}"
        yield where, count_phi({"nugget": row["text"]})
    for row in run.warehouse.rows(
        "select question_id, position, text.text from run_question join criterion using (criteria_set_key)"
        " join text using (text_key) where run_id = ? order by question_id, position",
        [run.run_id],
    ):
        where = f"question {row['question_id']}, criterion {row['position'] + 1}"
        yield where, count_phi({"criterion": row["text"]})
    for row in run.warehouse.rows("from current_answer order by question_id, system"):
        where = f"answer of {row['system']} to {row['question_id']}"
        before = {"messages": f"{row['history'] or ''}\n\n{row['asked'] or ''}"}
        yield where, count_phi({"answer": row["text"], **before, **_reference_texts(row)})
    for row in run.warehouse.rows(
        "select question_id, system, position, text.text"
        " from run_answer join context using (context_set_key) join text using (text_key) where run_id = ?"
        " order by question_id, system, position",
        [run.run_id],
    ):
        where = f"answer of {row['system']} to {row['question_id']}, context {row['position'] + 1}"
        yield where, count_phi({f"{row['position']}/content": row["text"]})


def _reference_texts(row: Row) -> dict[str, str]:
    return {
        f"{number}/{name}": value
        for number, reference in enumerate(json.loads(row["reference_list"]))
        for name, value in reference.items()
        if isinstance(value, str) and name not in ("authors", "year")
    }


def refuse(
    places: Sequence[tuple[str, Counts]], endpoints: Sequence[Endpoint], what_to_do: str = WHAT_TO_DO
) -> None:
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
                what_to_do,
            ]
        )
    )


def refuse_findings(step: Step, endpoint: Endpoint, what: str, looked: Sequence[Looked]) -> None:
    """Refuse to go on where anything was found in what a stage would send, naming the answers that it is of.

    Raises:
        PhiFound: naming the first places, and what to do.
    """
    found = [one for one in looked if one.n_found]
    named = [f"{what} {_of(step, one.input_key)}" for one in found[:SHOWN_PLACES]]
    places = [*named, *[what] * (len(found) - len(named))]
    refuse([(where, one.n_found) for where, one in zip(places, found, strict=True)], [endpoint])


def _of(step: Step, key: str) -> str:
    """Return which answer something is of, the first where there are several; a pair of texts is known by its claim."""
    rows = step.warehouse.rows(statement("statements/phi/of"), {"run_id": step.run.run_id, "key": key})
    if not rows:
        return f"({key})"
    (row,) = rows
    return f"of {row['system']} to {row['question_id']}" if row["system"] else f"to {row['question_id']}"


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
    known = named_in_questions(step.run)
    guarded = [guard(shown, "allow" if policy == "block" else policy, known) for shown in inputs]
    looked = [
        Looked(shown.input_key, one.judge_input.input_key, one.n_found, one.meaning)
        for shown, one in zip(inputs, guarded, strict=True)
    ]
    audit(step, endpoint, policy, looked)
    if policy == "block":
        refuse_findings(step, endpoint, "what the judge is shown", looked)
    return [(one.judge_input, one.meaning) for one in guarded]


def guarded_requests(step: Step, endpoint: Endpoint, requests: Sequence[Request[Any]]) -> list[Request[Any]]:
    """Return requests as they may leave; what they read has the placeholders' meaning put back.

    Raises:
        PhiFound: under `block`, when anything was found in any of them; none was sent then.
    """
    policy = policy_at(step.settings, endpoint)
    if policy is None:
        return list(requests)
    known = named_in_questions(step.run)
    guarded = [guard_request(request, policy, known) for request in requests]
    looked = [
        Looked(asked.item_key, one.request.prompt_digest, one.n_found, one.meaning)
        for asked, one in zip(requests, guarded, strict=True)
    ]
    audit(step, endpoint, policy, looked)
    if policy == "block":
        refuse_findings(step, endpoint, "a request", looked)
    return [one.request for one in guarded]


@lru_cache(maxsize=4)
def named_in_questions(run: RunRef) -> FoundValues:
    """Learn whom the questions of a run name: a sentence of an answer that is sent alone does not say who that is."""
    questions = run.warehouse.rows(f"select {', '.join(PATIENTS_OWN)} from current_question")
    said = run.warehouse.rows("select asked as question, history as messages from current_answer")
    return known_from((name, text) for row in (*questions, *said) for name, text in row.items() if text)
