"""The page of a training: the judge's table, its curves of loss, validity and accuracy, the rounds of introspection."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from medassay.models.whole_files import written_whole

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 220, 46, 28
COLOURS = ("#1f6fb2", "#c2571a", "#2b8a3e", "#7b4ab0", "#8a6d1b", "#b02a4b", "#3a7c7c", "#555555")
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
    "th:first-child,td:first-child{text-align:left}.warn{background:#fff3cd;padding:.6rem 1rem}svg{max-width:100%}"
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
    checkpoints = [row for row in found["table"] if row["checkpoint"]]
    curves = {one["checkpoint"]: [tuple(point) for point in one["losses"]] for one in found["stages"]}
    along = {
        name: [(n, row[key]) for n, row in enumerate(checkpoints) if row[key] is not None]
        for key, name in (
            ("format_valid", "valid replies"),
            ("accuracy_2tuple", "2-tuple"),
            ("accuracy_triple", "triple"),
        )
    }
    parts = [
        f"<h1>Judge {escape(str(found['name']))}</h1>",
        warning,
        f"<p>Preset {escape(str(found['preset']))}; {found['n_questions']} questions that it was not trained on, "
        f"held against {escape(str(found['gold']))}. Intervals resample questions. Always giving the commonest order "
        f"reaches {_number(found['majority_2tuple'])} of pairs and {_number(found['majority_triple'])} of triples.</p>",
        _table(found["table"]),
        "<h2>Loss on the evaluations</h2>",
        _chart(curves, "step", "loss"),
        "<h2>Validity and accuracy by checkpoint</h2>",
        _chart(
            along,
            ", ".join(f"{n} {row['checkpoint']}" for n, row in enumerate(checkpoints)),
            "share",
            top=1.0,
        ),
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
            span = "" if low is None or high is None else f" <small>({low:.2f}–{high:.2f})</small>"
            reason = f' title="{escape(str(row[f"{name}_reason"]))}"' if row.get(f"{name}_reason") else ""
            cells.append(f"<td{reason}>{_number(row[name])}{span}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _chart(
    lines: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str, top: float | None = None
) -> str:
    """Draw lines of (x, y) points from 0 to the largest of each."""
    points = [point for line in lines.values() for point in line]
    if not points:
        return ""
    most_x, most_y = max(x for x, _ in points) or 1, top or max(y for _, y in points) or 1

    def at(x: float, y: float) -> str:
        return (
            f"{LEFT + x / most_x * (WIDTH - LEFT - 150):.1f},{(HEIGHT - BOTTOM) * (1 - y / most_y) + 6:.1f}"
        )

    drawn = []
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(at(x, y) for x, y in line)
        drawn.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        drawn.append(
            f'<text x="{WIDTH - 140}" y="{18 + 17 * number}" fill="{colour}" font-size="12">{escape(name)}</text>'
        )
    base = HEIGHT - BOTTOM + 6
    drawn.append(f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH - 150}" y2="{base}" stroke="#999"/>')
    drawn.append(f'<text x="4" y="14" font-size="12">{escape(up)} {most_y:.2g}</text>')
    drawn.append(f'<text x="{LEFT}" y="{HEIGHT - 4}" font-size="12">{escape(across)} (to {most_x:g})</text>')
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(up)}">{"".join(drawn)}</svg>'


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
