"""What a run comes to, in a few lines: for the terminal, for machines, for the run's page."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from models.counting import counted
from models.report.gaps import gaps
from models.report.left_out import unseen_systems
from models.report.metrics import HEADINGS
from sql.snapshot import read_results
from tasks.run import RunRef

SHOWN_METRICS = tuple(HEADINGS)
ABSTENTIONS_TOLD_ELSEWHERE = ("judge", "listwise", "joint")
"""A judge's stand beside its marks; sources are read together by the model that reads them one by one."""


class TooManyFailed(Exception):
    """The run is published, but more of it failed than was allowed; `summary` is the run's, where there is one."""

    def __init__(self, message: str, summary: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.summary = summary


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


def notices(home: Path, run_id: str, stages: list[dict[str, Any]]) -> list[str]:
    """Return what a person must know beside the numbers: what was left undone, and how far to trust the judge."""
    left = [
        f"{stage['stage']}: {stage['n_pending'] - stage['n_done']} of {stage['n_items']} left; {stage['note']}"
        if stage["n_pending"] > stage["n_done"]
        else f"{stage['stage']}: {stage['note']}"
        for stage in stages
        if stage["note"]
    ]
    left += abstentions(home, run_id, stages)
    left += unseen_systems(
        read_results(home, f"from quarantined_systems where run_id = '{run_id}' order by system")
    )
    left += silences(home, run_id) + unscored(home, run_id) + disagreements(home, run_id)
    return left + unlicensed(home, run_id) + unlicensed_to_compare(home, run_id)


def abstentions(home: Path, run_id: str, stages: list[dict[str, Any]]) -> list[str]:
    """Say how much of a stage abstained and why most of it did; scores are made of what is left."""
    told = {
        row["stage"]: row
        for row in read_results(
            home,
            f"""
            select stage, sum(count(*)) over (partition by stage)::int as n_abstained, reason
            from outcome where run_id = '{run_id}' and state = 'abstained'
            group by stage, reason
            qualify row_number() over (partition by stage order by count(*) desc, reason) = 1
            """,
        )
    }
    return [
        f"{stage['stage']}: {found['n_abstained']} of {stage['n_items']} abstained, most because"
        f" {' '.join(found['reason'].split())}; a run with --retry asks again"
        for stage in stages
        if stage["stage"] not in ABSTENTIONS_TOLD_ELSEWHERE and (found := told.get(stage["stage"]))
    ]


def unlicensed(home: Path, run_id: str) -> list[str]:
    """Say which judges hold no licence: those that missed too many errors, and those that were not examined."""
    rows = read_results(
        home,
        f"""
        select judge, bool_and(licensed) as licensed
        from (from judge_stability where run_id = '{run_id}') as own
        left join judge_licences using (run_id, judge)
        group by judge order by judge
        """,
    )
    missed = ", ".join(row["judge"] for row in rows if row["licensed"] is False)
    unseen = ", ".join(row["judge"] for row in rows if row["licensed"] is None)
    said = (
        [f"unlicensed judge: {missed} missed over 10 % of the single errors it was shown"] if missed else []
    )
    if unseen:
        said.append(
            f"unlicensed judge: whether {unseen} sees single errors has not been shown; "
            "medassay doctor --licence --judge SPEC examines it"
        )
    return said


def unlicensed_to_compare(home: Path, run_id: str) -> list[str]:
    """Say that the judge that compares side by side holds no licence for that."""
    rows = read_results(
        home, f"from comparing_standing where run_id = '{run_id}' and not judge_licensed order by judge"
    )
    return [
        f"unlicensed judge side by side: {row['judge']} put a wrong answer first in over 10 % of the pairs it was shown"
        if row["examined"]
        else f"unlicensed judge side by side: whether {row['judge']} puts right answers first has not been shown; "
        "medassay doctor --licence --listwise --judge SPEC examines it"
        for row in rows
    ]


def silences(home: Path, run_id: str) -> list[str]:
    """Say whose answers are empty: they count as answered, since the system was asked and said nothing."""
    rows = read_results(
        home,
        "select system, count(*) filter (state = 'empty') as n_empty,"
        " count(*) filter (state in ('answered', 'empty')) as n_answered from answers"
        f" where run_id = '{run_id}' group by system having n_empty > 0 order by system",
    )
    whose = ", ".join(f"{row['n_empty']} of {row['n_answered']} of {row['system']}" for row in rows)
    return [f"empty answers, which count as answered: {whose}"] if rows else []


def unscored(home: Path, run_id: str) -> list[str]:
    """Say how many answers a shown metric's means leave out since a model abstained or something failed, and why."""
    of_run = f"where run_id = '{run_id}' and profile = 'any'"
    return gaps(
        read_results(home, f"select metric, system, n_asked, n_scored from system_scores {of_run}"),
        read_results(home, f"from unscored {of_run}"),
        HEADINGS,
    )


def disagreements(home: Path, run_id: str) -> list[str]:
    """Say of how many nuggets the language model and the embedded signals differ, where both spoke."""
    (both,) = read_results(
        home,
        "select count(*) filter (model_state <> signals_state) as n_differ, count(model_state) as n_asked"
        f" from nugget_states where run_id = '{run_id}'",
    )
    if not both["n_differ"]:
        return []
    return [
        f"the model and the signals differ on {both['n_differ']} of {counted(both['n_asked'], 'nugget')}, for a person"
        ' to decide: medassay query "from nugget_disagreements"'
    ]


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
