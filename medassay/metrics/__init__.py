"""The registry: every metric, declared once, in the order in which report and views show them."""

from collections.abc import Iterable, Mapping
from typing import Any

from medassay.metrics.citations import CITATIONS
from medassay.metrics.citations import METRICS as OF_CITATIONS
from medassay.metrics.contexts import CONTEXTS
from medassay.metrics.contexts import METRICS as OF_CONTEXTS
from medassay.metrics.conversations import CONVERSATIONS
from medassay.metrics.conversations import METRICS as OF_CONVERSATIONS
from medassay.metrics.criteria import CRITERIA
from medassay.metrics.criteria import METRICS as OF_CRITERIA
from medassay.metrics.evidence import METRICS as OF_REFERENCE
from medassay.metrics.evidence import REFERENCE, WEIGHTS
from medassay.metrics.metric import OVERALL, PROFILES, Group, Metric, Place, Profile
from medassay.metrics.nuggets import METRICS as OF_NUGGETS
from medassay.metrics.nuggets import NUGGETS
from medassay.metrics.rubric import METRICS as OF_RUBRIC
from medassay.metrics.rubric import RUBRIC

GROUPS = (NUGGETS, CITATIONS, RUBRIC, CRITERIA, CONTEXTS, REFERENCE, CONVERSATIONS)
METRICS = (
    *OF_NUGGETS,
    *OF_CITATIONS,
    *OF_RUBRIC,
    *OF_CRITERIA,
    *OF_CONTEXTS,
    *OF_REFERENCE,
    *OF_CONVERSATIONS,
)
BY_NAME = {metric.name: metric for metric in METRICS}

__all__ = [
    "BY_NAME",
    "CITATIONS",
    "CONTEXTS",
    "CONVERSATIONS",
    "CRITERIA",
    "GROUPS",
    "METRICS",
    "NUGGETS",
    "OVERALL",
    "PROFILES",
    "REFERENCE",
    "RUBRIC",
    "WEIGHTS",
    "Group",
    "Metric",
    "Place",
    "Profile",
    "column_comments",
    "headings",
    "shown_in",
    "used_in",
]


def shown_in(place: Place) -> tuple[Metric, ...]:
    """Return the metrics that stand in the leaderboard, a table or plot of the report, or the table of the terminal."""
    return tuple(metric for metric in METRICS if place in metric.shown)


def used_in(place: Place, rows: Iterable[Mapping[str, Any]]) -> tuple[Metric, ...]:
    """Return those of `shown_in` that the data ask for, by the values and reasons of rows of the leaderboard."""
    board = list(rows)
    return tuple(
        metric
        for metric in shown_in(place)
        if not metric.unused
        or any(
            row.get(metric.name) is not None or row.get(f"{metric.name}_reason") != metric.unused
            for row in board
            if metric.name in row
        )
    )


def headings(place: Place) -> dict[str, str]:
    """Return what these metrics are called at the head of a column or in a sentence, by name."""
    return {metric.name: metric.label.lower() for metric in shown_in(place)}


def column_comments() -> dict[str, str]:
    """Return what every column that a metric makes means, by `column` or `view.column`."""
    found: dict[str, str] = {}
    for metric in METRICS:
        name = metric.name
        found |= {name: metric.formula, f"{name}_reason": f"why {name} is NULL"}
        if "leaderboard" in metric.shown:
            found |= {
                f"leaderboard.{name}": f"mean over questions: {metric.formula}",
                f"leaderboard.{name}_interval_low": f"lower end of the 95 % interval of the mean {name}",
                f"leaderboard.{name}_interval_high": f"upper end of the 95 % interval of the mean {name}",
                f"leaderboard.{name}_reason": f"why {name} is NULL, or what to know of its interval",
            }
    return found
