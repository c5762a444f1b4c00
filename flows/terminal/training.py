"""Terminal output of a judge training."""

from medassay.flows.terminal.tables import Row, number, print_table, span
from medassay.models.counting import counted
from medassay.models.report.training_page import LEGEND

MEASURES = ("accuracy_2tuple", "accuracy_triple", "accuracy_untied", "spearman", "pearson", "kendall", "icc")
HEADS = ("judge", "valid", "2-tuple", "95 %", "triple", "untied", "ρ", "r", "τ", "ICC")


def print_training(summary: Row) -> None:
    """Print the table beside the baselines, the rounds of introspection, and how the judge is used."""
    print_judge_table(
        summary["table"],
        f"{summary['n_questions']} questions not trained on, {summary['gold']}; the judge is {summary['judge']}",
    )
    print_commonest_order(summary)
    if summary["ablations"]:
        _print_ablations(summary)
    for one in summary["rounds"]:
        print(
            f"introspection {one['iteration']}: {one['n_differing']} of {one['n_judged']} in another order,"
            f" {sum(one['accepted_in_round'])} revised, {one['n_jury']} for the jury" + _by_jury(one)
        )
        if one["n_jury"]:
            which = f"{summary['name']} --iteration {one['iteration']}"
            print(f"jury      medassay annotate serve --jury {which}")
    print(f"judge     trained:{summary['name']}   ({summary['licence']})")
    print(f"next      medassay evaluate ANSWERS --judge trained:{summary['name']}")
    print(f"report    {summary['report']}")


def print_commonest_order(row: Row) -> None:
    """Print what always giving the commonest order of the scores reaches."""
    print(
        f"always the commonest order: {number(row['majority_2tuple'])} of pairs,"
        f" {number(row['majority_triple'])} of triples"
    )


def _by_jury(one: Row) -> str:
    accepted, refused = (one.get(f"n_{what}_by_jury", 0) for what in ("accepted", "refused"))
    return f", {accepted} accepted and {refused} refused by it" if accepted or refused else ""


def _print_ablations(summary: Row) -> None:
    """Print what each training was worth: its steps and tokens, and what the judge gets right more than it."""
    rows = {row["checkpoint"]: row for row in summary["table"] if row["checkpoint"]}
    more = {one["ablation"]: one for one in summary["ablations"]}
    lines = []
    for name in (summary["judge"], *more):
        row = rows[name]
        lines.append([name, str(row["n_steps"]), "" if row["n_tokens"] is None else f"{row['n_tokens']:,}"])
        for key in ("accuracy_2tuple", "accuracy_triple"):
            lines[-1] += [number(row[key]), _more(more[name], key) if name in more else ""]
    heads = ("trained", "steps", "tokens", "2-tuple", "the judge has more", "triple", "the judge has more")
    print_table("ablations, from the same base and for as many steps", heads, lines, left=1)


def _more(one: Row, name: str) -> str:
    value, low, high = (one[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "–"
    return f"{value:+.3f}" + ("" if low is None else f" [{low:+.3f}, {high:+.3f}]")


def print_compared(rows: list[Row]) -> None:
    """Print the table of a run whose judge compared answers, and apart from it what the judge's card says of others."""
    here = [row for row in rows if "checkpoint" not in row]
    n_pairs = here[0]["accuracy_2tuple_n"]
    print_judge_table(
        here,
        f"The judge that compares answers, beside others, on {counted(n_pairs, 'pair')} that people scored",
    )
    print_commonest_order(here[0])
    if not any(row["gives_marks"] for row in here):
        print("judges that mark each answer stand here too after `medassay evaluate DATA --judge embedded`")
    if in_training := [row for row in rows if "checkpoint" in row]:
        print_judge_table(in_training, "From the judge's card: on the questions it was tested on in training")


def print_judge_table(rows: list[Row], title: str) -> None:
    """Print judges and baselines with their measures, and what these mean."""
    print_table(
        title,
        HEADS,
        [
            [
                row["judge"],
                number(row["format_valid"]),
                number(row["accuracy_2tuple"]),
                span({"low": row["accuracy_2tuple_low"], "high": row["accuracy_2tuple_high"]}, ".2f"),
                *(number(row.get(name)) for name in MEASURES[1:]),
            ]
            for row in rows
        ],
        left=1,
    )
    print(f"  {LEGEND}")
    for row in rows:
        if row["note"]:
            print(f"  {row['judge']}: {row['note']}")
