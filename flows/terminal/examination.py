"""Terminal and JSON output of judge examinations."""

from typing import Any

import click

from medassay.flows.terminal.tables import number, print_table
from medassay.models.judges.examining.attacks import AttackReport, left_out_by_rule
from medassay.models.judges.examining.lengths import LengthReport
from medassay.models.judges.examining.licence import SMALLEST_SHARE, Licence
from medassay.models.judges.judgement import SUB_METRICS

MOST_NAMED = 10
"""Attacks that succeeded, shown by name to a person."""


def print_licence(licence: Licence) -> None:
    """Print how many errors a judge saw, what they cost, and whether it holds its licence."""
    if licence.n_failed and all(ordered.n_unscored == ordered.n_pairs for ordered in licence.by_sub_metric):
        _not_kept(licence)
        return
    rows = [
        [
            ordered.sub_metric.replace("_", " "),
            f"{ordered.n_right} of {ordered.n_pairs}",
            str(ordered.n_tied),
            str(ordered.n_unscored),
            f"{ordered.share:.0%}",
            "yes" if ordered.share >= SMALLEST_SHARE else "no",
            f"{ordered.n_subtle_right} of {ordered.n_subtle}",
        ]
        for ordered in licence.by_sub_metric
    ]
    columns = (
        "sub-metric",
        "plain errors seen",
        "tied",
        "not scored",
        "share",
        f"≥ {SMALLEST_SHARE:.0%}",
        "subtle ones",
    )
    print_table(f"{licence.judge} on pairs that differ in one deliberate error", columns, rows)
    if licence.n_failed:
        _not_kept(licence)
        return
    lost = [
        [
            ordered.sub_metric.replace("_", " "),
            *(_points(ordered.points_lost.get(name)) for name in SUB_METRICS),
        ]
        for ordered in licence.by_sub_metric
    ]
    if any(ordered.points_lost for ordered in licence.by_sub_metric):
        print_table(
            "Points that a plain error cost, by where it lies (rows) and in each sub-metric",
            ("error in", *(name.replace("_", " ") for name in SUB_METRICS)),
            lost,
        )
    if licence.is_licensed:
        click.echo(
            f"licensed: {licence.judge} sees plain single errors in every sub-metric that it was shown"
        )
        return
    wrong = [name for ordered in licence.by_sub_metric for name in ordered.wrong]
    click.echo(
        f"unlicensed: {licence.judge} still scores, and its runs are marked “unlicensed judge”; "
        f"missed: {', '.join(wrong[:12])}{f' and {len(wrong) - 12} more' if len(wrong) > 12 else ''}"
    )


def _not_kept(licence: Licence) -> None:
    click.echo(
        f"not kept: {licence.n_failed} answers could not be marked ({licence.failure}); run it again, "
        "what was asked is kept"
    )


def _points(lost: float | None) -> str:
    """Show whole points; a zero has no sign."""
    return "–" if lost is None else str(round(lost))


def licence_rows(licence: Licence) -> list[dict[str, Any]]:
    """Return a licence for machines, one row a sub-metric."""
    return [
        {
            **row,
            "kept": not licence.n_failed,
            "points_lost": dict(ordered.points_lost),
            "missed": list(ordered.wrong),
        }
        for row, ordered in zip(licence.rows(), licence.by_sub_metric, strict=True)
    ]


def print_attacks(report: AttackReport, what_moves: str) -> None:
    """Print what each kind of attack did, and name those that succeeded."""
    rows = [
        [
            kind,
            str(len(part.outcomes)),
            str(part.n_reached),
            str(part.n_succeeded),
            number(part.mean_shift, "+.1f"),
        ]
        for kind, part in report.by_kind().items()
    ]
    columns = ("kind of attack", "attacks", "reached the judge", "succeeded", "mean shift, points")
    print_table(f"Attacks on {report.judge}", columns, rows)
    by_rule, others = report.by_rule_and_others()
    for part, what in ((by_rule, "kinds that rules leave out"), (others, "kinds without a rule")):
        size = number(part.mean_size_of_shift, ".2f")
        click.echo(
            f"{report.judge}, {what}: {part.n_succeeded} of {len(part.outcomes)} attacks succeeded "
            f"({part.success_rate:.1%}), {part.n_reached} had something left that reached the judge; "
            f"mean shift of {what_moves} {number(part.mean_shift, '+.2f')} points, {size} regardless of sign"
            + (f"; {part.n_unscored} could not be scored" if part.n_unscored else "")
        )
    succeeded = [outcome for outcome in report.outcomes if outcome.succeeded]
    for outcome in succeeded[:MOST_NAMED]:
        moved = ", ".join(f"{name} {shift:+.0f}" for name, shift in outcome.shifts.items() if round(shift))
        obeyed = ", the marks that it orders" if outcome.planted_came_back else ""
        click.echo(f"  {outcome.kind}, on “{outcome.question}”: {moved}{obeyed}")
    if len(succeeded) > MOST_NAMED:
        click.echo(f"  and {len(succeeded) - MOST_NAMED} more; --json names them all")
    for reason in sorted({outcome.reason for outcome in report.outcomes if outcome.reason})[:5]:
        click.echo(f"  not scored: {reason}")


def attack_rows(report: AttackReport) -> list[dict[str, Any]]:
    """Return a report for machines, one row an attack."""
    return [
        {
            "judge": report.judge,
            "kind": outcome.kind,
            "question": outcome.question,
            "reached": outcome.reached,
            "unforeseen": outcome.kind not in left_out_by_rule(),
            "succeeded": outcome.succeeded,
            "planted_came_back": outcome.planted_came_back,
            "shifts": dict(outcome.shifts),
            "reason": outcome.reason,
        }
        for outcome in report.outcomes
    ]


def print_lengths(report: LengthReport) -> None:
    """Print what padding and cutting did to the marks."""
    rows = [
        [
            "padded with nothing" if shift.change == "padded" else "cut to one sentence",
            shift.sub_metric.replace("_", " "),
            str(shift.n),
            number(shift.mean_shift, "+.1f"),
            number(shift.largest_shift, "+d"),
            "–" if shift.n_overtaken is None else f"{shift.n_overtaken} of {shift.n_behind}",
        ]
        for shift in sorted(report.shifts, key=lambda one: one.change)
    ]
    columns = ("answers", "sub-metric", "n", "mean shift, points", "largest", "wrong ones that overtook")
    print_table(f"What length alone does to the marks of {report.judge}", columns, rows, left=2)
    if report.n_unscored:
        click.echo(f"{report.n_unscored} answers could not be scored and are left out ({report.reason})")
