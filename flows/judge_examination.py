"""What a judge is worth, as a person at a terminal sees it: its licence, and what attacks do to it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from flows.commands.leaving import COULD_NOT_RUN, as_json
from models.judges.examining.attacks import AttackReport
from models.judges.examining.lengths import LengthReport
from models.judges.examining.licence import SMALLEST_SHARE, Licence
from models.judges.examining.unforeseen import UNFORESEEN_KINDS
from models.judges.judgement import SUB_METRICS

MOST_NAMED = 10
"""Attacks that succeeded, shown by name to a person."""


def examine_licences(spec: str, max_calls: int | None, machine: bool) -> bool:
    """Examine every judge of a spec on the gold pairs, say how it did, and return whether all are licensed."""
    from tasks.judging.licensing import examine_judge, n_licence_inputs

    found = _each(spec, max_calls, machine, "licence", n_licence_inputs(), examine_judge)
    if machine:
        click.echo(as_json([row for licence in found for row in _licence_rows(licence)]))
    else:
        for licence in found:
            _print_licence(licence)
    if any(licence.n_failed for licence in found):
        raise SystemExit(COULD_NOT_RUN)
    return all(licence.is_licensed for licence in found)


def examine_attacks(spec: str, max_calls: int | None, machine: bool) -> bool:
    """Attack every judge of a spec, say what the attacks did, and return whether all held."""
    from tasks.judging.licensing import attack_judge, n_attack_inputs

    found = _each(spec, max_calls, machine, "attacks", n_attack_inputs(), attack_judge)
    return _say_what_attacks_did(found, machine, "a mark")


def examine_attacks_on_comparing(spec: str, max_calls: int | None, machine: bool) -> bool:
    """Attack the judge of a spec that compares answers side by side, say what that did, and whether it held."""
    from tasks.judging.licensing import attack_comparing_judge, comparing_judges, n_comparisons

    found = _each(
        spec,
        max_calls,
        machine,
        "attacks",
        n_comparisons(),
        attack_comparing_judge,
        comparing_judges,
        "orders to compare",
    )
    return _say_what_attacks_did(found, machine, "a lead")


def _say_what_attacks_did(found: list[AttackReport], machine: bool, what_moves: str) -> bool:
    if machine:
        click.echo(as_json([row for report in found for row in _attack_rows(report)]))
    else:
        for report in found:
            _print_attacks(report, what_moves)
    if any(report.n_unscored == len(report.outcomes) for report in found):
        raise SystemExit(COULD_NOT_RUN)
    return all(not report.n_succeeded and not report.n_unscored for report in found)


def examine_length_shifts(spec: str, max_calls: int | None, machine: bool) -> bool:
    """Lengthen and cut answers before every judge of a spec and say what that did; nothing passes or fails."""
    from tasks.judging.licensing import lengthen_for_judge, n_length_inputs

    found = _each(spec, max_calls, machine, "lengths", n_length_inputs(), lengthen_for_judge)
    if machine:
        rows = [{"judge": report.judge, **asdict(shift)} for report in found for shift in report.shifts]
        click.echo(as_json(rows))
    else:
        for report in found:
            _print_lengths(report)
    if any(all(shift.n == 0 for shift in report.shifts) for report in found):
        raise SystemExit(COULD_NOT_RUN)
    return True


def _each(
    spec: str,
    max_calls: int | None,
    machine: bool,
    what: str,
    n_inputs: int,
    do: Callable[..., Any],
    chosen: Callable[[str, Path], Sequence[Any]] | None = None,
    what_for: str = "answers to mark",
) -> list[Any]:
    from flows.commands.sources import held_home
    from models.chat.cap import Cap
    from sql.warehouse import home_folder
    from tasks.judging.licensing import judges_to_examine

    judges = (chosen or judges_to_examine)(spec, home_folder())
    cap = None if max_calls is None else Cap(max_calls=max_calls)
    found = []
    with held_home(f"doctor --{what}") as warehouse:
        for judge in judges:
            if not machine:
                click.echo(f"{judge.name}: {n_inputs} {what_for}, fewer where it was asked before", err=True)
            with _bar(n_inputs) as on_done:
                found.append(do(warehouse, judge, cap, on_done))
    return found


@contextmanager
def _bar(total: int) -> Iterator[Callable[[object], None]]:
    """Show a bar on a terminal; elsewhere nothing."""
    from rich.progress import Progress

    from flows.console import progress_console

    console = progress_console()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("marking", total=total)
        yield lambda _: progress.advance(task)


def _print_licence(licence: Licence) -> None:
    from flows.terminal_tables import print_table

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
        click.echo(
            f"not kept: {licence.n_failed} answers could not be marked ({licence.failure}); run it again, "
            "what was asked is kept"
        )
        return
    lost = [
        [
            ordered.sub_metric.replace("_", " "),
            *(_points(ordered.points_lost.get(name)) for name in SUB_METRICS),
        ]
        for ordered in licence.by_sub_metric
    ]
    print_table(
        "Points that a plain error cost, by where it lies (rows) and in each sub-metric",
        ("error in", *(name.replace("_", " ") for name in SUB_METRICS)),
        lost,
    )
    if licence.is_licensed:
        click.echo(f"licensed: {licence.judge} sees plain single errors in every sub-metric")
        return
    wrong = [name for ordered in licence.by_sub_metric for name in ordered.wrong]
    click.echo(
        f"unlicensed: {licence.judge} still scores, and its runs are marked “unlicensed judge”; "
        f"missed: {', '.join(wrong[:12])}{f' and {len(wrong) - 12} more' if len(wrong) > 12 else ''}"
    )


def _points(lost: float | None) -> str:
    """Show whole points; a zero has no sign."""
    return "–" if lost is None else str(round(lost))


def _licence_rows(licence: Licence) -> list[dict[str, Any]]:
    return [
        {
            **row,
            "kept": not licence.n_failed,
            "points_lost": dict(ordered.points_lost),
            "missed": list(ordered.wrong),
        }
        for row, ordered in zip(licence.rows(), licence.by_sub_metric, strict=True)
    ]


def _print_attacks(report: AttackReport, what_moves: str) -> None:
    from flows.terminal_tables import number, print_table

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
    known, unforeseen = report.known_and_unforeseen()
    for part, what in ((known, "kinds that it was hardened against"), (unforeseen, "kinds nothing knows of")):
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


def _attack_rows(report: AttackReport) -> list[dict[str, Any]]:
    return [
        {
            "judge": report.judge,
            "kind": outcome.kind,
            "question": outcome.question,
            "reached": outcome.reached,
            "unforeseen": outcome.kind in UNFORESEEN_KINDS,
            "succeeded": outcome.succeeded,
            "planted_came_back": outcome.planted_came_back,
            "shifts": dict(outcome.shifts),
            "reason": outcome.reason,
        }
        for outcome in report.outcomes
    ]


def _print_lengths(report: LengthReport) -> None:
    from flows.terminal_tables import number, print_table

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
