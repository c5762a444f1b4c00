"""What a metric is: one declaration, from which SQL, report, settings, docs and agreement with people are generated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Profile = Literal["any", "seed", "bioace", "trec"]
Unit = Literal["share", "points"]
Place = Literal["leaderboard", "report", "terminal", "plot", "sufficiency"]

EVERYWHERE: frozenset[Place] = frozenset({"leaderboard", "report", "terminal", "plot"})
OVERALL = "human_score"
"""The human column of a whole answer: the mean over the aspects that people scored."""
PROFILES: tuple[Profile, ...] = ("any", "seed", "bioace", "trec")


@dataclass(frozen=True, slots=True)
class Group:
    """Metrics made of the same rows.

    Attributes:
        name: `nuggets`, `citations`, `rubric`; what a comparison of runs puts differences down to.
        title: The heading in docs/metrics.md.
        counts: The view in sql/intermediate whose columns the group's SQL uses beside those of `answer_counts`: one row
            per question and system of the current run.
    """

    name: str
    title: str
    counts: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One number per answer; its mean over questions is a system's.

    Attributes:
        name: The column in `answer_scores`, the value of `metric` in `metric_scores` and `system_scores`.
        label: What the report and the terminal call it.
        means: One sentence for a reader of the report.
        formula: What is divided by what, and the range: the column's comment in `results.duckdb`.
        group: What it is made of.
        sql: An expression per profile over the columns of `answer_counts`, those that sql/intermediate/new_score.sql
            adds, and the group's `counts`, made with the macros of sql/intermediate/scoring.sql: `ratio`, `measured`,
            `unavailable`. `any`: the same under every profile.
        paper: Where the definition is from; empty for our own.
        unit: `share`, 0 to 1, or `points`, 0 to 100.
        lower_is_better: Its direction.
        shown: Where it stands beside `answer_scores`, which has every metric: the view `leaderboard`, the report's
            table of systems, the terminal's, the report's plots, and the report's table of enough citations, where
            metrics of its name with `_low` and `_high` are its bounds.
        unused: The reason that leaves its column out of tables where it is every system's: the data ask for no such
            number.
        human: The human columns that it stands for, beside one of its own name. None: `agree` never holds it against
            people.
        human_under: The same, true under one profile only.
    """

    name: str
    label: str
    means: str
    formula: str
    group: Group
    sql: Mapping[Profile, str]
    paper: str = ""
    unit: Unit = "share"
    lower_is_better: bool = False
    shown: frozenset[Place] = frozenset()
    unused: str = ""
    human: tuple[str, ...] | None = None
    human_under: Mapping[Profile, tuple[str, ...]] = field(default_factory=dict)

    @property
    def points(self) -> bool:
        """Whether it is a mark of 0 to 100."""
        return self.unit == "points"

    @property
    def high(self) -> float:
        """The most that it can be; the least is 0."""
        return 100.0 if self.points else 1.0

    @property
    def only_under(self) -> Profile | None:
        """The one profile that defines it, where only one does and it is not `any`."""
        (first, *more) = self.sql
        return first if first != "any" and not more else None
