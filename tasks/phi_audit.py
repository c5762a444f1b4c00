"""What the guard found, written down before anything leaves: by kind, never by text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from medassay.models.chat.endpoint import Endpoint
from medassay.models.judges.phi.grammar import Kind
from medassay.models.judges.phi.guard import Policy
from medassay.sql.warehouse import Warehouse
from medassay.tasks.stages.stage import Step

Counts = Mapping[Kind, int]
ACTIONS: Mapping[Policy, str] = {"block": "blocked", "redact": "redacted", "allow": "allowed"}


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
