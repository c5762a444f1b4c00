"""Summary of a run for the terminal, JSON output and Prefect."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from medassay.metrics import headings
from medassay.models.counting import counted
from medassay.sql.snapshot import published, read_results
from medassay.tasks.notices import notices
from medassay.tasks.run import RunRef

SHOWN_METRICS = tuple(headings("terminal"))


class TooManyFailed(Exception):
    """The run is published, but more of it failed than was allowed; `summary` is the run's, where there is one."""

    def __init__(self, message: str, summary: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.summary = summary


def summary_and_failure(
    evaluating: Callable[[], dict[str, Any]],
) -> tuple[dict[str, Any], TooManyFailed | None]:
    """Return a published run's summary and, where more of it failed than was allowed, the error to end with."""
    try:
        return evaluating(), None
    except TooManyFailed as over:
        if over.summary is None:
            raise
        return over.summary, over


@dataclass(frozen=True)
class Summary:
    """A finished run."""

    run_id: str
    dataset: str
    shape: str
    n_questions: int
    n_answers: int
    n_quarantined: int
    leaderboard: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    notices: list[str]
    report: str
    snapshot: str

    @property
    def failed_share(self) -> float:
        """Return the largest share of one stage's items that failed."""
        return max((s["n_failed"] / s["n_items"] for s in self.stages if s["n_items"]), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-able values."""
        return {**asdict(self), "failed_share": self.failed_share}

    @classmethod
    def of(cls, summary: dict[str, Any]) -> "Summary":
        """Return the summary that `as_dict` was made of."""
        return cls(**{field.name: summary[field.name] for field in fields(cls)})

    def markdown(self, link: str) -> str:
        """Return where the results are, the report behind `link`, and what every stage did, for the run's page."""
        lines = [
            f"### {self.dataset}, run `{self.run_id}`",
            f"{counted(self.n_questions, 'question')}, {counted(self.n_answers, 'answer')},"
            f" {counted(self.n_quarantined, 'row')} in quarantine",
            "",
            f"**[Open the report]({link})**",
            "",
            f"Report: `{self.report}`  ",
            f"Snapshot: `{self.snapshot}`",
            "",
            "| stage | items | done now | abstained | failed | seconds |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        lines[2:2] = [f"- {notice}" for notice in self.notices]
        lines += [
            f"| {s['stage']} | {s['n_items']} | {s['n_done']} | {s['n_abstained']} | {s['n_failed']}"
            f" | {'' if s['seconds'] is None else format(s['seconds'], '.1f')} |"
            for s in self.stages
            if s["n_items"]
        ]
        return "\n".join(lines)


def summarise(run: RunRef, snapshot: Path, report: Path) -> Summary:
    """Read a published run's outline."""
    home = Path(run.home)
    with published(home):  # held open: a dozen queries would each open the file anew
        return _summary_of(run, home, snapshot, report)


def _summary_of(run: RunRef, home: Path, snapshot: Path, report: Path) -> Summary:
    of_run = f"where run_id = '{run.run_id}'"
    (about,) = read_results(
        home,
        f"""
        select
            dataset,
            shape,
            (select count(*) from questions {of_run}) as n_questions,
            (select count(*) from answers {of_run} and state not in ('not_answered', 'failed')) as n_answers,
            (select count(*) from quarantine {of_run}) as n_quarantined
        from runs {of_run}
        """,
    )
    stages = read_results(
        home,
        "select stage, n_items, n_pending, n_done, n_abstained, n_failed, seconds, note"
        f" from run_stages {of_run} order by began_at",
    )
    reasons = failure_reasons(home, run.run_id) if any(stage["n_failed"] for stage in stages) else {}
    return Summary(
        run_id=run.run_id,
        dataset=about["dataset"],
        shape=about["shape"] or "",
        n_questions=about["n_questions"],
        n_answers=about["n_answers"],
        n_quarantined=about["n_quarantined"],
        leaderboard=read_results(home, f"from leaderboard {of_run}"),
        stages=[{**stage, "failed_because": reasons.get(stage["stage"])} for stage in stages],
        notices=notices(home, run.run_id, stages),
        report=str(report),
        snapshot=str(snapshot),
    )


def failure_reasons(home: Path, run_id: str) -> dict[str, str]:
    """Return the most frequent reason for which items of each stage failed; of equals the first by name."""
    rows = read_results(
        home,
        f"""
        select stage, reason from outcome where run_id = '{run_id}' and state = 'failed'
        group by stage, reason order by count(*), reason desc
        """,
    )
    return {row["stage"]: " ".join(row["reason"].split()) for row in rows}


def refuse_too_many_failures(summary: Summary, max_failed: float) -> None:
    """Turn the run red when more failed than was allowed.

    Raises:
        TooManyFailed: with the stage of which most failed, its share and most frequent reason, and where to look.
    """
    if summary.failed_share > max_failed:
        stopped = [notice for notice in summary.notices if "cap reached" in notice]
        if stopped:
            lines = [
                f"run {summary.run_id} is published, but it stopped before everything was asked:",
                *stopped,
            ]
            raise TooManyFailed("\n  ".join(lines), summary.as_dict())
        worst = max((s for s in summary.stages if s["n_items"]), key=lambda s: s["n_failed"] / s["n_items"])
        why = f": {worst['failed_because']}" if worst.get("failed_because") else ""
        raise TooManyFailed(
            f"run {summary.run_id} is published, but {summary.failed_share:.1%} of the stage `{worst['stage']}` failed"
            f" and {max_failed:.1%} was allowed{why}; all reasons are in the view `outcomes`, and the same command "
            "asks again for only these",
            summary.as_dict(),
        )
