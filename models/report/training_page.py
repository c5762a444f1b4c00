"""The page of a training: the judge's table, its curves of loss, validity and accuracy, the rounds of introspection."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

from medassay.models.report.line_chart import Axes, Point, line_chart
from medassay.models.whole_files import written_whole

COLUMNS = {
    "judge": "judge",
    "format_valid": "valid",
    "accuracy_2tuple": "2-tuple",
    "accuracy_triple": "triple",
    "accuracy_untied": "untied pairs",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "icc": "ICC(2,1)",
}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.3rem .5rem;border-bottom:1px solid #ddd;text-align:right}"
    "th:first-child,td:first-child{text-align:left}.warn{background:#fff3cd;padding:.6rem 1rem}"
    "svg{width:100%;min-width:36rem}small{white-space:nowrap;color:#555}td small{display:block}.wide{overflow-x:auto}"
)


def write_training_page(path: Path, found: Mapping[str, Any]) -> Path:
    """Write the page of a training's table (`table.json`) and card; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(training_page(found))
    return path


def training_page(found: Mapping[str, Any]) -> str:
    """Return the page as HTML."""
    card = found["card"]
    warning = (
        "" if card.get("licensed") else f'<p class="warn">This judge is {escape(str(card["licence"]))}.</p>'
    )
    parts = [
        f"<h1>Judge {escape(str(found['name']))}</h1>",
        warning,
        f"<p>Preset {escape(str(found['preset']))}; {found['n_questions']} questions that it was not trained on, "
        f"held against {escape(str(found['gold']))}. Intervals resample questions. Always giving the commonest order "
        f"reaches {_number(found['majority_2tuple'])} of pairs and {_number(found['majority_triple'])} of triples.</p>",
        _table(found["table"]),
        "<h2>Loss on the evaluations</h2>",
        _losses(found["courses"]),
        "<h2>Validity and accuracy by checkpoint</h2>",
        _accuracies(found),
        _ablations(found),
        "<h2>Introspection</h2>",
        _rounds(found["rounds"]),
        _convergence(found["convergence"]),
        _examined(card),
    ]
    body = "\n".join(part for part in parts if part)
    title = f"MedAssay: judge {escape(str(found['name']))}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body>\n{body}\n</body></html>\n"
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in COLUMNS.values())
    lines = []
    for row in rows:
        cells = [f"<td>{escape(str(row['judge']))}</td>"]
        for name in list(COLUMNS)[1:]:
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            span = "" if low is None or high is None else f" <small>{_span(low, high)}</small>"
            reason = f' title="{escape(str(row[f"{name}_reason"]))}"' if row.get(f"{name}_reason") else ""
            cells.append(f"<td{reason}>{_number(row[name])}{span}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return _wide(head, lines)


def _wide(head: str, lines: Sequence[str]) -> str:
    return _scrolled(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>")


def _scrolled(wide: str) -> str:
    """Let what is wider than the screen be scrolled by itself."""
    return f'<div class="wide">{wide}</div>' if wide else ""


def _losses(courses: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Draw the loss over all steps of a training, one line for the judge and one for each ablation."""
    lines: dict[str, list[Point]] = {}
    for name, stages in courses.items():
        begun = _beginnings(stages)
        lines[name if lines else "the judge"] = [
            Point(start + step, loss)
            for start, stage in zip(begun, stages, strict=True)
            for step, loss in stage["losses"]
        ]
    judge = next(iter(courses.values()), [])
    marks = [(start, stage["stage"]) for start, stage in zip(_beginnings(judge), judge, strict=True)]
    return _scrolled(line_chart(lines, Axes("step", "loss, logarithmic", logarithmic=True), marks=marks))


def _beginnings(stages: Sequence[Mapping[str, Any]]) -> list[int]:
    return [0, *accumulate(stage["n_steps"] for stage in stages)][:-1]


def _accuracies(found: Mapping[str, Any]) -> str:
    left_out = {one["ablation"] for one in found["ablations"]}
    rows = [row for row in found["table"] if row["checkpoint"] and row["checkpoint"] not in left_out]
    lines = {
        name: [
            Point(n, row[key], row.get(f"{key}_low"), row.get(f"{key}_high"))
            for n, row in enumerate(rows)
            if row[key] is not None
        ]
        for key, name in (
            ("format_valid", "valid replies"),
            ("accuracy_2tuple", "2-tuple"),
            ("accuracy_triple", "triple"),
        )
    }
    levels = {
        f"commonest order, {what}": found[key]
        for key, what in (("majority_2tuple", "2-tuple"), ("majority_triple", "triple"))
        if found[key] is not None
    }
    names = [row["checkpoint"] for row in rows]
    axes = Axes("checkpoint", "share, with 95 % intervals", names, top=1.0)
    return _scrolled(line_chart(lines, axes, levels=levels))


def _ablations(found: Mapping[str, Any]) -> str:
    """Show what the judge has over each ablation, and that they were trained for as many steps."""
    if not found["ablations"]:
        return ""
    rows = {row["checkpoint"]: row for row in found["table"] if row["checkpoint"]}
    more = {one["ablation"]: one for one in found["ablations"]}
    lines = []
    for name in (found["judge"], *more):
        row = rows[name]
        cells = [
            escape(str(name) if name in more else f"the judge ({name})"),
            f"{row['n_steps']:,}",
            "–" if row["n_tokens"] is None else f"{row['n_tokens']:,}",
        ]
        for key in ("accuracy_2tuple", "accuracy_triple"):
            cells.append(_number(row[key]))
            cells.append(_signed(more[name], key) if name in more else "")
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    titles = ("", "steps", "tokens", "2-tuple", "the judge has more", "triple", "the judge has more")
    head = "".join(f"<th>{title}</th>" for title in titles)
    return (
        "<h2>Ablations</h2><p>The recipe without one of its parts, and without any (vanilla), from the same base. What"
        " the judge has more is measured question by question; an interval that holds 0 shows no difference.</p>"
        + _wide(head, lines)
    )


def _signed(one: Mapping[str, Any], key: str) -> str:
    low, high = one[f"{key}_low"], one[f"{key}_high"]
    span = "" if low is None or high is None else f" <small>{low:+.2f} to {high:+.2f}</small>"
    return ("–" if one[key] is None else f"{one[key]:+.3f}") + span


def _span(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}"


def _rounds(rounds: Sequence[Mapping[str, Any]]) -> str:
    if not rounds:
        return "<p>There was none.</p>"
    said = [
        f"<li>Iteration {one['iteration']}: {one['n_differing']} of {one['n_judged']} training cases in another order"
        f" than the reference ({one['n_unreadable']} unreadable); accepted by round {list(one['accepted_in_round'])},"
        f" {one['n_jury']} left to the human jury, {one['n_unanswered']} unanswered.</li>"
        for one in rounds
    ]
    return f"<ul>{''.join(said)}</ul>"


def _convergence(found: Mapping[str, Any]) -> str:
    ours, paper = found["ours"], found["paper"]
    limit = "–" if ours["limit"] is None else f"{ours['limit']:.1f} %"
    return (
        f"<p>Limit of further rounds, from this training's triples: {limit}"
        f" ({escape(str(ours['reason'] or 'fitted'))})."
        f" Of the paper's three points: {paper['refitted_at_six']:.2f} at six rounds by an exact fit; its equation"
        f" gives {paper['published_at_six_by_equation']}, its text {paper['published_at_six_by_text']}.</p>"
    )


def _examined(card: Mapping[str, Any]) -> str:
    if "ordered" not in card:
        return ""
    ordered = ", ".join(
        f"{one['sub_metric'].replace('_', ' ')} {one['right']} of {one['of']}" for one in card["ordered"]
    )
    attacks = card["attacks"]
    return (
        f"<h2>Examination</h2><p>Pairs with one plain error ordered right: {escape(ordered)}. Attacks:"
        f" {attacks['succeeded']} of {attacks['tried']} succeeded, {attacks['unscored']} could not be scored.</p>"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
