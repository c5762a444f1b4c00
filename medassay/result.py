"""Result of an evaluation: frames, report, and assertions for CI."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from medassay.models.gate.record import GateRecord

Read = Callable[[str], "list[dict[str, Any]]"]
ReadFrame = Callable[[str], "pd.DataFrame"]
FRAMES = ("systems", "answers", "claims", "nuggets", "citations", "criteria", "quarantine")


class BelowBound(AssertionError):
    """A system's mean is beyond the bound that was asked for, or there is no mean; one line each."""


@dataclass(frozen=True)
class Source:
    """Where a run's views are read: a query in, rows or a frame out."""

    rows: Read
    frame: ReadFrame


@dataclass(frozen=True, repr=False)
class Result:
    """A finished evaluation.

    Attributes:
        run_id: Its name.
        systems: A row per system: every metric's mean over questions, with `<metric>_low` and `_high` (95 % interval),
            `<metric>_n_scored` and `<metric>_reason` (why there is no mean, or what to know of it).
        answers: A row per question and system: every metric, with `<metric>_reason` beside each NULL.
        claims: A row per claim and non-claim of an answer: its words, its place, its state against the nuggets.
        nuggets: A row per question, system and nugget: covered, partial, contradicted or missing, and why.
        citations: A row per claim and citation: supports, contradicts …, with the deciding sentence.
        criteria: A row per system and tag of criteria: the mean, its 95 % interval, of how many answers and criteria.
        quarantine: A row per row of the data that was left out: the rule that it broke, and what to do.
        notices: What the stages said, a line each.
    """

    run_id: str
    notices: tuple[str, ...]
    _source: Source = field(compare=False)
    _metrics: tuple[str, ...] | None = None

    @cached_property
    def systems(self) -> "pd.DataFrame":
        """Return a row per system, in the leaderboard's order."""
        return _systems(self._source, self._of_run, _metrics_of(self.answers))

    @cached_property
    def answers(self) -> "pd.DataFrame":
        """Return a row per question and system."""
        answers = self._frame("answer_scores", "question_id, system")
        if self._metrics is None:
            return answers
        dropped = [name for name in _metrics_of(answers) if name not in self._metrics]
        return answers.drop(columns=[*dropped, *(f"{name}_reason" for name in dropped)])

    @cached_property
    def claims(self) -> "pd.DataFrame":
        """Return a row per claim and non-claim."""
        return self._frame("claims", "question_id, system, position")

    @cached_property
    def nuggets(self) -> "pd.DataFrame":
        """Return a row per question, system and nugget."""
        return self._frame("nugget_states", "question_id, system, nugget_id")

    @cached_property
    def citations(self) -> "pd.DataFrame":
        """Return a row per claim and citation."""
        return self._frame("citation_verdicts", "all")

    @cached_property
    def criteria(self) -> "pd.DataFrame":
        """Return a row per system and tag of criteria."""
        return self._frame("criteria_scores", "system, tag")

    @cached_property
    def quarantine(self) -> "pd.DataFrame":
        """Return a row per row of the data that was left out."""
        return self._frame("quarantine", "all")

    @property
    def _of_run(self) -> str:
        return f"where run_id = '{self.run_id}'"

    def _frame(self, view: str, order: str) -> "pd.DataFrame":
        return self._source.frame(f"from {view} {self._of_run} order by {order}")

    def read_all(self) -> None:
        """Read every frame now: the home may be gone when one is looked at."""
        for name in FRAMES:
            getattr(self, name)

    def view(self, name: str) -> "pd.DataFrame":
        """Return this run's rows of a view of `docs/views.md`, such as `comparisons` or `judgements`.

        Raises:
            ValueError: when the name is none.
        """
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no view's name")
        return self._source.frame(f"from {name} where run_id = '{self.run_id}' order by all")

    def report(self, path: str | Path) -> Path:
        """Write the report as one HTML file, and return where it is."""
        from medassay.tasks.publish import report_page

        path = Path(path)
        path.write_text(report_page(self._source.rows, self.run_id), encoding="utf-8")
        return path

    def assert_at_least(self, system: str | None = None, **bounds: float) -> None:
        """Fail where a system's mean of a metric is below its bound, or there is no mean.

        Args:
            system: look at this one only.
            bounds: metric and least mean, such as `citation_precision=0.8`.

        Raises:
            BelowBound: an AssertionError with a line for each system and metric.
            KeyError: for a metric or system that the result has not.
        """
        self._check(system, bounds, "at least", lambda value, bound: value >= bound)

    def assert_at_most(self, system: str | None = None, **bounds: float) -> None:
        """Do the same for means that have to be low, such as `contradiction_rate=0.05`."""
        self._check(system, bounds, "at most", lambda value, bound: value <= bound)

    def gate(
        self,
        config: str | Path | Mapping[str, Any] = "medassay.toml",
        baseline: str | Path | None = None,
        *,
        write_baseline: bool = False,
        allow_other_baseline: bool = False,
    ) -> "GateRecord":
        """Hold the run against rules, bounds and a committed baseline, as `medassay gate` does.

        Args:
            config: TOML file with the table `[gate]`, or what that table holds.
            baseline: File to hold the run against, or to write; the configuration's own unless given.
            write_baseline: Write the baseline from this run.
            allow_other_baseline: Compare with a baseline that was made with other options or models, too.

        Returns:
            The record: `verdict`, `checks`, `answers`; it is true where the gate is passed, and `assert_passed()`
            raises an AssertionError with a line for each thing that is wrong.

        Raises:
            UsageError: where configuration or baseline cannot be used.
        """
        from medassay.models.gate.config import config_of, read_config
        from medassay.tasks.gating import gate_run

        is_table = isinstance(config, Mapping)
        return gate_run(
            self._source.rows,
            self.run_id,
            config_of(config) if isinstance(config, Mapping) else read_config(Path(config)),
            "gate" if is_table else str(config),
            baseline=Path(baseline) if baseline else None,
            writes_baseline=write_baseline,
            allows_other=allow_other_baseline,
        )

    def _check(
        self, system: str | None, bounds: dict[str, float], word: str, holds: Callable[[float, float], bool]
    ) -> None:
        records: list[dict[str, Any]] = self.systems.to_dict("records")  # type: ignore[assignment]  # columns are texts
        rows = {row["system"]: row for row in records}
        broken = []
        for metric, bound in bounds.items():
            if metric not in self.systems.columns:
                raise KeyError(f"no metric {metric!r} in this result")
            for name in rows if system is None else [system]:
                value, reason = rows[name][metric], rows[name][f"{metric}_reason"]
                if value is None or value != value:
                    broken.append(f"{metric} of {name}: no mean ({reason}); {word} {bound} was asked for")
                elif not holds(value, bound):
                    broken.append(f"{metric} of {name} is {value:.3f}; {word} {bound} was asked for")
        if broken:
            raise BelowBound("\n".join(broken))

    def __repr__(self) -> str:
        return (
            f"<Result {self.run_id}: {len(self.systems)} systems, {len(self.answers)} answers,"
            f" {len(self.claims)} claims>"
        )

    def _repr_html_(self) -> str:
        """Show a notebook the systems' means."""
        shown = [name for name in self.systems.columns if f"{name}_reason" in self.systems.columns]
        table: str = self.systems[["system", *shown]].dropna(axis="columns", how="all").to_html(index=False)
        return table


def _metrics_of(answers: "pd.DataFrame") -> list[str]:
    """Return which columns of a frame of answers are metrics."""
    return [name for name in answers.columns if f"{name}_reason" in answers.columns]


def _systems(source: Source, of_run: str, metrics: Sequence[str]) -> "pd.DataFrame":
    """Lay `system_scores` out with a row per system, in the leaderboard's order."""
    import pandas as pd

    scores = source.rows(
        f"from system_scores {of_run}"
        f" and profile in ('any', (select profile from runs {of_run})) order by system, metric"
    )
    order = [row["system"] for row in source.rows(f"select system from leaderboard {of_run}")]
    rows: dict[str, dict[str, Any]] = {name: {"system": name} for name in order}
    for score in scores:
        row = rows.setdefault(score["system"], {"system": score["system"]})
        row |= {"n_asked": score["n_asked"], "n_answered": score["n_answered"]}
        metric = score["metric"]
        if metric in metrics:
            row |= {metric: score["value"], f"{metric}_low": score["low"], f"{metric}_high": score["high"]}
            row |= {f"{metric}_n_scored": score["n_scored"], f"{metric}_reason": score["reason"]}
    return pd.DataFrame(list(rows.values()))
