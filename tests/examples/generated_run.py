"""A run of any size, written straight into a work file: texts, claims, nuggets, citations, verdicts and marks.

No model is asked: what they would have said is drawn from a hash of each row's place, so that the same sizes give the
same numbers anywhere. Systems differ: the higher their number, the more they cover and the better they cite.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef

CLAIM_WIDTH = 140
STAGES = ("decompose", "nuggets", "embed", "fetch", "shortlist", "entail", "joint", "match", "judge")
WORDS = (
    "patients with chronic kidney disease who take the drug every day for a year have a lower risk of stroke than those"
    " on placebo while bleeding is more common in people over eighty and the dose is halved when clearance falls"
)


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    questions: int
    systems: int
    nuggets: int = 8
    claims: int = 6

    @property
    def answers(self) -> int:
        """Return how many answers that makes."""
        return self.questions * self.systems


def generate(
    warehouse: Warehouse, home: str, run_id: str, size: Size, *, started: datetime | None = None
) -> RunRef:
    """Write a run that is ready to be aggregated; return where it is."""
    settings = Settings("generated", run_name=f"{size.answers} answers", dataset="generated", judge="none")
    moment = started or datetime(2026, 1, 1, tzinfo=UTC)
    warehouse.insert(
        "run",
        [
            {
                "run_id": run_id, "name": settings.run_name, "dataset": "generated", "data": "generated",
                "state": "running", "profile": "seed", "settings": json.dumps(settings.as_dict()), "version": "0",
                "started_at": moment,
            }
        ],
    )  # fmt: skip
    stages = [{"stage": stage, "fingerprint": f"f-{stage}"} for stage in STAGES]
    warehouse.insert("fingerprint", [{**row, "spec": json.dumps({"model": "generated"})} for row in stages])
    warehouse.insert("run_stage", [{"run_id": run_id, **row} for row in stages])
    warehouse.insert(
        "run_judge",
        [
            {
                "run_id": run_id,
                "judge_no": 0,
                "judge": "generated",
                "fingerprint": "f-judge",
                "judge_key": "generated",
            }
        ],
    )
    given = {
        "run": run_id, "questions": size.questions, "systems": size.systems, "nuggets": size.nuggets,
        "claims": size.claims, "width": CLAIM_WIDTH, "words": WORDS,
    }  # fmt: skip
    for name, value in given.items():
        warehouse.execute(f"set variable g_{name} = $value", {"value": value})
    with warehouse.transaction():
        warehouse.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    warehouse.focus(run_id)
    return RunRef(home, run_id)
