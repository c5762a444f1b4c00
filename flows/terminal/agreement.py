"""Terminal output of agreement with people."""

from medassay.flows.terminal.tables import MOST_ROWS, Row, number, print_table, span
from medassay.models.counting import counted
from medassay.models.report.states import NotedNumber, said_once
from medassay.tasks.people.answer_labels import NOT_HELD

HUMANS = "humans"  # what stands for our metric where people are held against people
OTHER_HALF = " on other questions"


def print_agreement(rows: list[Row], every: bool, profile: str = "seed") -> None:
    """Print agreement with people: orders of systems, then all else; without `every`, what stands in, by Kendall's τ-b.

    Without `every`, of the run's profile alone, and only measures that say something of their own.
    """
    own = [row for row in rows if row["stands_in"] and row["profile"] in ("any", profile)]
    shown = rows if every else [row for row in own if not row["measure"].startswith(("pearson", "spearman"))]
    alone = unanswered(rows)
    if not shown and not alone:
        print("no human scores lie beside these answers; see --every for what else was measured")
        return
    print_system_orders([row for row in shown if row["level"] == "system"], every)
    print_other_agreement([row for row in shown if row["level"] != "system"], every)
    others = sorted({row["profile"] for row in rows if row["stands_in"]} - {"any", profile})
    if not every:
        more = f", and {', '.join(others)}'s" if others else ""
        if shown:
            print(f"  Spearman's and Pearson's coefficients{more}: --every, or the view `agreement`")
        if alone:
            print(
                f"  no metric here is meant to measure {', '.join(alone)}: how each goes with every metric is under"
                " --every, or in the view `agreement`"
            )
    print_reasons(shown)


def unanswered(rows: list[Row]) -> list[str]:
    """Name the human scores that no metric of ours stands for; what people said in words is told by its reason."""
    names = {row["human_metric"] for row in rows if NOT_HELD not in (row["reason"] or "")}
    answered = {row["human_metric"] for row in rows if row["stands_in"] and row["metric"] != HUMANS}
    return sorted(names - answered)


def print_system_orders(rows: list[Row], every: bool) -> None:
    """Print whether systems come out in people's order, beside how well people's halves order each other."""
    halves = {
        (r["human_metric"], r["metric"], r["profile"], r["measure"].removesuffix(OTHER_HALF)): r
        for r in rows
        if r["measure"].endswith(OTHER_HALF)
    }
    table = []
    for row in rows:
        if row["measure"].endswith(OTHER_HALF):
            continue
        half = halves.get((row["human_metric"], row["metric"], row["profile"], row["measure"]))
        table.append(
            [
                row["human_metric"].replace("_", " "),
                named(row),
                row["measure"],
                number(row["value"]),
                span(row, ".2f"),
                number(half["value"]) if half else "–",
                span(half, ".2f") if half else "–",
                number(row["ceiling"]),
                span({"low": row["ceiling_low"], "high": row["ceiling_high"]}, ".2f"),
                number(row["baseline"]) + (f" / {number(half['baseline'])}" if half else ""),
                str(row["n_systems"]),
                str(row["n"]),
            ]
        )
    if table:
        print_table(
            "Systems in people's order: ours, ours on one half of the questions against people on the other,"
            " and people so (95 % of the halvings); what the answers' length alone reaches / halved",
            (
                "human score", "our metric", "measure", "ours", "95 %", "halved", "95 %", "people", "95 %", "length",
                "systems", "answers",
            ),
            table,
            left=3,
            most=None if every else MOST_ROWS,
        )  # fmt: skip


def print_other_agreement(rows: list[Row], every: bool) -> None:
    """Print agreement on answers, their orders, nuggets and evaluations."""
    if not rows:
        return
    print_table(
        "Agreement with people",
        (
            "human score",
            "our metric",
            "level",
            "measure",
            "of",
            "agreement",
            "95 %",
            "people",
            "baseline",
            "n",
        ),
        [
            [
                row["human_metric"].replace("_", " "),
                named(row),
                row["level"],
                row["measure"],
                row["stratum"],
                number(row["value"]),
                span(row, ".2f"),
                number(row["ceiling"]),
                number(row["baseline"]),
                str(row["n"]),
            ]
            for row in rows
        ],
        left=5,
        most=None if every else MOST_ROWS,
    )


def cost_line(took: Row) -> str:
    """Return what an answer took in seconds and money, beside which agreement has to be seen."""
    if took["seconds"] is None:
        return "  no answer was evaluated"
    asked = f", {counted(int(took['n_calls']), 'call')} of models" if took["n_calls"] else ""
    if took["money"] is not None:
        asked += f" for {took['money']:.4f} {took['currency']} an answer"
    elif took["n_calls"]:
        asked += " at no known price"
    reused = "; what earlier runs had done is not counted" if took["is_partly_reused"] else ""
    return f"  {took['seconds']:.2f} s an answer ({counted(int(took['n_answers']), 'answer')}){asked}{reused}"


def named(row: Row) -> str:
    """Name a metric, with its profile where it has one."""
    metric = str(row["metric"]).replace("_", " ")
    return metric if row["profile"] == "any" else f"{metric} ({row['profile']})"


def print_reasons(rows: list[Row]) -> None:
    """Print each reason once, and of which measures and pairs of a human score and our metric it is one."""
    for line in said_once(
        NotedNumber(
            measured(row), f"{row['human_metric'].replace('_', ' ')} – {named(row)}", row["reason"] or ""
        )
        for row in rows
    ):
        print(f"  {line}")


def measured(row: Row) -> str:
    """Name a measure, at which level it was taken, and of which answers where not of all."""
    where = row["level"] if row["stratum"] == "all" else f"{row['level']}, {row['stratum']}"
    return f"{row['measure']} ({where})"
