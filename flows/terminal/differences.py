"""Terminal output of differences between two runs."""

from collections.abc import Sequence
from typing import Any

from medassay.flows.terminal.tables import number, print_judge_notes, print_table
from medassay.metrics import METRICS
from medassay.models.attribution import FORMULAS
from medassay.models.counting import counted
from medassay.tasks.comparing.attribution import Diff

LARGEST = 15
IN_POINTS = frozenset(metric.name for metric in METRICS if metric.points)
NOT_COMPUTED = "not computed"
Row = dict[str, Any]


def print_differences(found: Diff, everything: bool) -> None:
    """Print means by system and metric, then the largest changes or all, each with its parts."""
    print(f"run {found.run_a} → run {found.run_b}")
    said = f"they differ in: {', '.join(found.factors)}, substituted in this order"
    print(said if found.factors else "they differ in nothing that a score rests on")
    if found.choices:
        chosen = (f"{name} {before} → {after}" for name, (before, after) in found.choices.items())
        print(f"chosen otherwise: {', '.join(chosen)}")
    print(f"{counted(len(found.changed), 'score')} changed, {found.n_same:,} did not")
    for n_only, run in ((found.n_only_a, found.run_a), (found.n_only_b, found.run_b)):
        if n_only:
            print(f"in run {run} alone, and not compared: {counted(n_only, 'score')}")
    numbers = [row for row in found.changed if row["difference"] is not None]
    names = parts_in(numbers)
    if numbers:
        print_means(numbers, names)
        print_scores(numbers, names, everything)
    print_unpaired_scores([row for row in found.changed if row["difference"] is None], everything)
    shown = {row["metric"] for row in found.changed}
    print_judge_notes(
        [{"metric": m, "judge_note": note} for m, note in found.judge_notes.items() if m in shown]
    )


def parts_in(rows: Sequence[Row]) -> list[str]:
    """Return the factors that any score has a part of, in the order of substitution."""
    names = dict.fromkeys(name for row in rows for name in row["parts"])
    return sorted(names, key=lambda name: name == FORMULAS)


def print_means(rows: Sequence[Row], names: Sequence[str]) -> None:
    """Print mean changes; a part that is not computed for every score is in the interaction of the others."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["metric"], row["system"]), []).append(row)
    shown = []
    for (metric, system), group in sorted(groups.items()):
        parts = {name: [row["parts"].get(name, 0.0) for row in group] for name in names}
        shown.append(
            [
                metric.replace("_", " "),
                system,
                str(len(group)),
                number(mean([row["difference"] for row in group]), "+.3f"),
                *(cell_of_means(parts[name]) for name in names),
                number(mean([row["interaction"] for row in group]), "+.3f"),
            ]
        )
    columns = ("metric", "system", "changed", "mean change", *names, "interaction")
    print_table("Mean change of the scores that changed; the parts add up", columns, shown, left=2)


def cell_of_means(values: Sequence[float | None]) -> str:
    """Show a mean part over all changed scores, those not computed counting nothing, and how many they are."""
    known = [value for value in values if value is not None]
    if not known:
        return NOT_COMPUTED
    text = number(sum(known) / len(values), "+.3f")
    return text if len(known) == len(values) else f"{text} ({len(values) - len(known)} not computed)"


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)


def print_scores(rows: Sequence[Row], names: Sequence[str], everything: bool) -> None:
    """Print single scores, the largest changes first: ten points of a mark and .1 of a share are as large."""
    ordered = sorted(
        rows, key=lambda row: -abs(row["difference"]) / (100 if row["metric"] in IN_POINTS else 1)
    )
    chosen = ordered if everything else ordered[:LARGEST]
    columns = ("question", "system", "metric", "before", "after", "change", *names, "interaction")
    print_table(
        "Scores" if everything else f"The {len(chosen)} largest changes of {len(rows)} (all: --all)",
        columns,
        [
            [
                row["question_id"],
                row["system"],
                row["metric"].replace("_", " "),
                number(row["before"], ".3f"),
                number(row["after"], ".3f"),
                number(row["difference"], "+.3f"),
                *(
                    NOT_COMPUTED if (part := row["parts"].get(name, 0.0)) is None else number(part, "+.3f")
                    for name in names
                ),
                number(row["interaction"], "+.3f"),
            ]
            for row in chosen
        ],
        left=3,
        most=None if everything else LARGEST,
    )


def print_unpaired_scores(rows: Sequence[Row], everything: bool) -> None:
    """Print the scores that are there in only one of the runs, with the reason."""
    if not rows:
        return
    chosen = rows if everything else rows[:LARGEST]
    print_table(
        f"{counted(len(rows), 'score')} came or went",
        ("question", "system", "metric", "before", "after", "because of", "reason where there is none"),
        [
            [
                row["question_id"],
                row["system"],
                row["metric"].replace("_", " "),
                number(row["before"], ".3f"),
                number(row["after"], ".3f"),
                row["by"] or "",
                row["reason"] or "",
            ]
            for row in chosen
        ],
        left=3,
        most=None if everything else LARGEST,
    )
