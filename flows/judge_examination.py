"""Examine a judge: licence, attacks and length bias under one spending cap."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.exit_codes import COULD_NOT_RUN, OVER_MAX_FAILED, as_json
from medassay.flows.commands.sources import held_home
from medassay.flows.terminal.examination import (
    attack_rows,
    licence_rows,
    print_attacks,
    print_lengths,
    print_licence,
)
from medassay.models.chat.cap import Cap
from medassay.models.judges.examining.attacks import AttackReport
from medassay.models.judges.examining.lengths import LengthReport
from medassay.models.judges.examining.licence import Licence
from medassay.models.settings import Settings
from medassay.sql.home import home_folder
from medassay.sql.warehouse import Warehouse
from medassay.tasks.judging import licensing
from medassay.tasks.spending.caps import (
    cap_at,
    check_prices,
    common_cap,
    how_to_go_on,
    note_price,
    tariff_of,
    tariffs,
)

ALL_HELD = 0


@dataclass(frozen=True, slots=True)
class Examination:
    """What judges are put through: who of a spec, with how much, and what is said of it."""

    name: str
    judges: Callable[[Settings, Path], Sequence[Any]]
    examine: Callable[[Warehouse, Any, Cap, Callable[[object], None]], Any]
    n_inputs: Callable[[], int]
    say: Callable[[list[Any], bool], int]
    """Says what was found, to a machine or a person, and returns the exit code that it is worth."""
    inputs: str = "answers to mark"


def examine_judges(wanted: Sequence[Examination], settings: Settings, machine: bool) -> int:
    """Put every judge of a spec through examinations, say what came out, and return the exit code.

    All of them draw on one cap. What it stops or keeps from being begun is named; what was asked is kept.

    Raises:
        UsageError: where there is no judge for one of them, or no price for a cap in money; nobody was asked then.
    """
    home = home_folder()
    check_prices(settings, home)
    known, cap = tariffs(home, settings.prices), common_cap(settings)
    chosen = [(one, one.judges(settings, home)) for one in wanted]
    codes, left = [], []
    with held_home("doctor " + " ".join(f"--{one.name}" for one in wanted)) as warehouse:
        for one, judges in chosen:
            found = []
            for judge in judges:
                begun = not cap.reached
                if begun:
                    endpoint = licensing.endpoint_examined(judge)
                    note_price(warehouse, endpoint, tariff := tariff_of(endpoint, known))
                    found.append(_examined(one, warehouse, judge, cap_at(cap, tariff), machine))
                if cap.reached:
                    left.append(f"{one.name} of {judge.name}{', begun' if begun else ''}")
            if found:
                codes.append(one.say(found, machine))
            if one.name == LICENCE.name and any(not licence.n_failed for licence in found):
                _publish(warehouse, home, machine)
    if cap.reached:
        click.echo(f"not finished: {'; '.join(left)}", err=True)
        click.echo(how_to_go_on(cap.reached), err=True)
        codes.append(COULD_NOT_RUN)
    return max(codes)


def _examined(one: Examination, warehouse: Warehouse, judge: Any, cap: Cap, machine: bool) -> Any:
    n_inputs = one.n_inputs()
    if not machine:
        click.echo(f"{judge.name}: {n_inputs} {one.inputs}, fewer where it was asked before", err=True)
    with _bar(n_inputs) as on_done:
        return one.examine(warehouse, judge, cap, on_done)


def _publish(warehouse: Warehouse, home: Path, machine: bool) -> None:
    """Have the results know the licence, and say what does not."""
    if path := licensing.publish_licences(warehouse, home):
        click.echo(
            f"results   {path} (view judge_licences); a report written before keeps what it says of the judge: "
            "`medassay report` writes it anew",
            err=machine,
        )


def _say_licences(found: list[Licence], machine: bool) -> int:
    if machine:
        click.echo(as_json([row for licence in found for row in licence_rows(licence)]))
    else:
        for licence in found:
            print_licence(licence)
    if any(licence.n_failed for licence in found):
        return COULD_NOT_RUN
    return ALL_HELD if all(licence.is_licensed for licence in found) else OVER_MAX_FAILED


def _say_attacks(found: list[AttackReport], machine: bool, what_moves: str = "a mark") -> int:
    if machine:
        click.echo(as_json([row for report in found for row in attack_rows(report)]))
    else:
        for report in found:
            print_attacks(report, what_moves)
    if any(report.n_unscored == len(report.outcomes) for report in found):
        return COULD_NOT_RUN
    fell = any(report.n_succeeded or report.n_unscored for report in found)
    return OVER_MAX_FAILED if fell else ALL_HELD


def _say_attacks_on_comparing(found: list[AttackReport], machine: bool) -> int:
    return _say_attacks(found, machine, "a lead")


def _say_lengths(found: list[LengthReport], machine: bool) -> int:
    """Describe what length did; nothing passes or fails."""
    if machine:
        rows = [{"judge": report.judge, **asdict(shift)} for report in found for shift in report.shifts]
        click.echo(as_json(rows))
    else:
        for report in found:
            print_lengths(report)
    is_empty = any(all(shift.n == 0 for shift in report.shifts) for report in found)
    return COULD_NOT_RUN if is_empty else ALL_HELD


@contextmanager
def _bar(total: int) -> Iterator[Callable[[object], None]]:
    """Show a bar on a terminal; elsewhere nothing."""
    from rich.progress import Progress

    from medassay.flows.terminal.console import progress_console

    console = progress_console()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("marking", total=total)
        yield lambda _: progress.advance(task)


LICENCE = Examination(
    "licence",
    licensing.judges_to_examine,
    licensing.examine_judge,
    licensing.n_licence_inputs,
    _say_licences,
)
LICENCE_TO_COMPARE = Examination(
    "licence",
    licensing.comparing_judges,
    licensing.examine_comparing_judge,
    licensing.n_licence_comparisons,
    _say_licences,
    "orders to compare",
)
ATTACKS = Examination(
    "attacks",
    licensing.judges_to_examine,
    licensing.attack_judge,
    licensing.n_attack_inputs,
    _say_attacks,
)
ATTACKS_ON_COMPARING = Examination(
    "attacks",
    licensing.comparing_judges,
    licensing.attack_comparing_judge,
    licensing.n_comparisons,
    _say_attacks_on_comparing,
    "orders to compare",
)
LENGTHS = Examination(
    "lengths",
    licensing.judges_to_examine,
    licensing.lengthen_for_judge,
    licensing.n_length_inputs,
    _say_lengths,
)
