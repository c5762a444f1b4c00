"""Judges of a run: selected, named and pinned, so that panels share a judge's marks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.judges.choosing import NoJudge, choose_panel, endpoint_asked
from medassay.models.judges.judgement import Judge
from medassay.models.keys import content_key
from medassay.models.settings import Settings
from medassay.sql.home import home_secret
from medassay.tasks.phi import policy_at
from medassay.tasks.run import RunRef

STAGE = "judge"


@dataclass(frozen=True, slots=True)
class Member:
    """One judge of a run; `fingerprint` is what its marks are kept under."""

    judge_no: int
    judge: Judge
    fingerprint: str


def member_spec(judge: Judge, settings: Settings) -> dict[str, Any]:
    """Return what is asked of one judge; inputs with placeholders in them are other inputs."""
    redacted = policy_at(settings, endpoint_asked(judge)) == "redact"
    asked = {**judge.fingerprint, "kind": judge.fingerprint["judge"], "judge": judge.name}
    return {**asked, "phi": "redact"} if redacted else asked


def panel_spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the judge or the judges, their prompts and parameters, or why there is none."""
    panel = choose_panel(settings.judge)
    if isinstance(panel, NoJudge):
        return {"judge": "none", "reason": panel.reason}
    specs = [member_spec(judge, settings) for judge in panel]
    if len(specs) == 1:
        return specs[0]
    return {"judge": ", ".join(spec["judge"] for spec in specs), "kind": "panel", "members": specs}


def members_of(run: RunRef) -> tuple[Member, ...]:
    """Return the judges of a run, none where there is none."""
    panel = choose_panel(run.settings.judge, home_secret(Path(run.home)))
    if isinstance(panel, NoJudge):
        return ()
    return tuple(
        Member(number, judge, content_key({"stage": STAGE, **member_spec(judge, run.settings)}))
        for number, judge in enumerate(panel, start=1)
    )


def pin_members(run: RunRef) -> None:
    """Write down who judges in this run, and what must stand beside whose numbers."""
    members = members_of(run)
    run.warehouse.insert(
        "run_judge",
        [
            {
                "run_id": run.run_id,
                "judge_no": member.judge_no,
                "judge": member.judge.name,
                "fingerprint": member.fingerprint,
                "judge_key": content_key(member.judge.fingerprint),
                "caveat": member.judge.caveat,
            }
            for member in members
        ],
    )
