"""Terminal tables of comparisons, plans and sheets."""

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from medassay.flows.terminal.console import print_titled, results_console, widths
from medassay.flows.terminal.query import print_records
from medassay.models.counting import counted
from medassay.models.report.comparisons import MOST_QUESTIONS_ASKED, is_beyond
from medassay.models.report.states import NotedNumber, said_once

if TYPE_CHECKING:
    from medassay.tasks.spending.estimating import Planned
    from medassay.tasks.spending.planning import Plan

MOST_ROWS = 60
SETTLED_AT = 0.05
Row = dict[str, Any]
NO_DIFFERENCE = "none"
PREFERRED_BY = {"human": "people", "listwise": "side by side"}


def number(value: float | None, form: str = ".2f") -> str:
    """Show a number; what is not there is a dash, never a zero."""
    return "–" if value is None else format(value, form)


def span(row: Row, form: str = "+.2f") -> str:
    """Show an interval."""
    return "–" if row["low"] is None else f"{row['low']:{form}} to {row['high']:{form}}"


def print_table(
    title: str, columns: tuple[str, ...], rows: list[list[str]], left: int = 1, most: int | None = MOST_ROWS
) -> None:
    """Print rows, the first `left` columns flush left, `most` of them at most; too wide ones one below the other."""
    console = results_console(170)
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < left else "right", overflow="fold")
    for row in rows[:most]:
        table.add_row(*row)
    if widths(console, table).minimum <= console.width:
        print_titled(console, title, table)
    else:
        console.print(Text(title, style="table.title"))
        print_records(console, columns, rows[:most])
    if most is not None and len(rows) > most:
        console.print(f"  … and {counted(len(rows) - most, 'row')} more")


def print_asked(rows: list[Row]) -> None:
    """Print what came of asking systems."""
    columns = (
        "system",
        "model",
        "answered",
        "failed",
        "cut",
        "asked before",
        "calls",
        "tokens",
        "first reason",
    )
    print_table(
        "Answers",
        columns,
        [
            [
                row["system"],
                row["model"],
                f"{row['n_answered']:,}/{row['n_asked']:,}",
                f"{row['n_failed']:,}",
                f"{row['n_cut']:,}",
                f"{row['n_reused']:,}",
                f"{row['n_sent']:,}",
                f"{row['prompt_tokens'] + row['completion_tokens']:,}",
                row["first_reason"] or "",
            ]
            for row in rows
        ],
        left=2,
    )


def print_shares(rows: list[Row], judge_a: str, judge_b: str) -> None:
    """Print how often people prefer one judge's evaluations, annotator by annotator."""
    columns = (
        "field",
        "annotator",
        f"prefers {judge_a}",
        "tie",
        f"prefers {judge_b}",
        "share",
        "spread between",
    )
    print_table(
        f"{judge_a} against {judge_b}; a tie counts half",
        columns,
        [
            [
                row["field"].replace("_", " "),
                row["annotator"],
                str(row["a"]),
                str(row["tie"]),
                str(row["b"]),
                number(row["share_a"]),
                number(row["spread"]) if row["annotator"] == "all" else "",
            ]
            for row in rows
        ],
        left=2,
    )


def print_drift(rows: list[Row]) -> None:
    """Print whether the judge still gives the marks that it gave before."""
    columns = ("judge", "sub-metric", "then", "now", "difference", "95 %", "answers", "")
    print_table(
        "The judge on frozen answers, points of 100",
        columns,
        [
            [
                row["judge"],
                row["sub_metric"].replace("_", " "),
                number(row["before"], ".1f"),
                number(row["now"], ".1f"),
                number(row["difference"], "+.1f"),
                span(row, "+.1f"),
                str(row["n_answers"]),
                "drifted" if row["drifted"] else row["reason"] or "",
            ]
            for row in rows
        ],
        left=2,
    )
    print_judge_notes(rows, "judge")


def print_preferences(rows: list[Row]) -> None:
    """Print wins, ties and losses by people and judges, beside those by the metrics."""
    print_table(
        "Won, tied and lost, question by question",
        ("a – b", "by", "", "won–tied–lost", "questions"),
        [
            [
                f"{row['system_a']} – {row['system_b']}",
                PREFERRED_BY.get(row["preferred_by"], str(row["preferred_by"])),
                row["who"].replace("_", " "),
                f"{row['wins']}–{row['ties']}–{row['losses']}",
                str(row["n_questions"]),
            ]
            for row in rows
        ],
        left=3,
    )
    print_judge_notes(rows, "who")


def print_comparisons(rows: list[Row]) -> None:
    """Print the declared family, the surest differences first, and why some have no p."""
    if not rows:
        print("only one system: nothing to compare")
        return
    columns = (
        "metric", "a – b", "difference", "95 %", "p (Holm)", "won–tied–lost", "questions", "dropped",
        "detectable", "more needed",
    )  # fmt: skip
    print_table(
        "Primary metrics, every pair of systems",
        columns,
        [
            [
                row["metric"].replace("_", " "),
                f"{row['system_a']} – {row['system_b']}",
                number(row["difference"], "+.3f"),
                span(row),
                number(row["p_adjusted"], ".4f"),
                f"{row['wins']}–{row['ties']}–{row['losses']}",
                str(row["n_questions"]),
                str(row["n_dropped"]),
                detectable(row),
                more_needed(row),
            ]
            for row in compared(rows)
        ],
        left=2,
    )
    print_reasons(rows)
    if any(detectable(row) == NO_DIFFERENCE for row in rows):
        print(
            f"  detectable {NO_DIFFERENCE}: so few questions can show no difference that the metric can have"
        )
    print_judge_notes(rows)


def detectable(row: Row) -> str:
    """Show the least difference that these questions can show, unless the metric cannot have one so large."""
    least = row["detectable_difference"]
    return NO_DIFFERENCE if least is not None and is_beyond(row["metric"], least) else number(least)


def more_needed(row: Row) -> str:
    """Return how many more questions would settle a difference of this size."""
    if row["p_adjusted"] is not None and row["p_adjusted"] <= SETTLED_AT:
        return "settled"
    missing = (row["questions_needed"] or 0) - row["n_questions"]
    if missing > MOST_QUESTIONS_ASKED:
        return f"> {MOST_QUESTIONS_ASKED:,}"
    return f"{missing:,}" if missing > 0 else "–"


def print_reasons(rows: list[Row]) -> None:
    """Print each reason once, and of which metrics and pairs it is one."""
    for line in said_once(
        NotedNumber(
            row["metric"].replace("_", " "), f"{row['system_a']} – {row['system_b']}", row["reason"] or ""
        )
        for row in rows
    ):
        print(f"  {line}")


def print_judge_notes(rows: list[Row], named: str = "metric") -> None:
    """Print what must stand beside the judge's numbers, each note once with the columns' names that it is of."""
    notes: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.get("judge_note"):
            notes.setdefault(row["judge_note"], {})[row[named].replace("_", " ")] = None
    for note, names in notes.items():
        print(f"  {', '.join(names)}: {note}")


def print_changes(rows: list[Row], baseline: str) -> None:
    """Print what changed since the baseline."""
    print_table(
        f"Against {baseline}, paired by question",
        ("system", "metric", "difference", "95 %", "questions", "verdict"),
        [
            [
                row["system"],
                row["metric"].replace("_", " "),
                number(row["difference"], "+.3f"),
                span(row),
                str(row["n_questions"]),
                "regressed" if row["regressed"] else "",
            ]
            for row in compared(rows)
        ],
        left=2,
    )
    noted = (
        NotedNumber(row["metric"].replace("_", " "), row["system"], row["reason"] or "")
        for row in rows
        if not row["regressed"]
    )
    for line in said_once(noted):
        print(f"  {line}")
    print_judge_notes(rows)


def compared(rows: list[Row]) -> list[Row]:
    """Return the rows of metrics that some row has a difference of; why the others have none stands below."""
    known = {row["metric"] for row in rows if row["difference"] is not None}
    return [row for row in rows if row["metric"] in known] or rows


def print_plan(found: "Plan", whole: "Planned") -> None:
    """Print what a run would take, stage by stage, and what the numbers rest on."""
    columns = ("stage", "items", "to do", "calls", "known", "tokens", "money", "time", "asked")
    rows = [
        [
            row.stage,
            ("about " if row.estimated else "") + f"{row.n_items:,}" if row.n_items else "",
            ("about " if row.estimated else "") + f"{row.n_to_do:,}" if row.stage != "total" else "",
            f"{row.n_calls:,}" if row.n_calls else "",
            f"{row.n_known_calls:,}" if row.n_known_calls else "",
            f"{row.prompt_tokens + row.reply_tokens:,}" if row.prompt_tokens else "",
            "" if row.money is None else f"{row.money:,.2f} {row.currency}",
            duration(row.seconds),
            row.model or "",
        ]
        for row in (*found.stages, whole)
    ]
    print_table(
        f"{counted(found.n_answers, 'answer')} to {counted(found.n_questions, 'question')}", columns, rows
    )
    for row in found.stages:
        if row.n_to_do:
            print(f"  {row.stage}: {row.basis}")
    print("  calls that are asked again because a reply could not be used are not counted")
    if any(row.n_calls and row.money is None and row.model and "#" in row.model for row in found.stages):
        print(
            "  no money: write the model's price into prices.json in the home, or name a file with --prices"
        )
    for notice in found.notices:
        print(notice)


def duration(seconds: float) -> str:
    """Show seconds as people say them."""
    if seconds < 1:
        return "< 1 s" if seconds else ""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
