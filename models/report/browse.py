"""Pages of the home of runs: the list, two answers side by side, what changed between two runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from medassay.metrics import BY_NAME, headings
from medassay.models.counting import counted
from medassay.models.people.aspects import BROWSER_ASPECTS, NUGGET_STATES, SCORES
from medassay.models.report import bars
from medassay.models.report.page import asset, environment, policy_of
from medassay.models.report.rows import text_of
from medassay.models.report.states import STATES

WIDTH, HEIGHT, _EDGE = 150, 40, 4
MOST_LINES = 5
CHECKS = (
    ("medical_knowledge", "Medical knowledge", "Is what the evaluation says of medicine right?"),
    ("no_misattribution", "No misattribution", "Did every doctor write what the evaluation says of them?"),
    ("fluency", "Fluency", "Does the evaluation read well?"),
)
"""What an expert says yes or no to of an evaluation: criterion, label, question."""
VOTE = (
    (
        "accept",
        "Accept the correction?",
        "Yes: the evaluation is written anew as it says, and the judge learns that. No: the case is left out.",
    ),
)
"""What a juror says yes or no to."""
SCRIPT, SCORING = "home/home.js", "home/annotate.js"


@dataclass(frozen=True, slots=True)
class Line:
    """One system's means over the runs of a data set, as the points of a polyline, and the last of them."""

    system: str
    points: str
    x: float
    y: float
    told: str


def lines_of(runs: Iterable[Any]) -> list[Line]:
    """Draw the systems' first means over a data set's finished runs, given the newest first; 0 is below, 1 above."""
    finished = [run for run in reversed(list(runs)) if run.state == "finished"]
    steps = max(len(finished) - 1, 1)
    values: dict[str, list[tuple[float, float, float]]] = {}
    for place, run in enumerate(finished):
        for system in run.systems:
            if (value := system.values[0]) is not None:
                x = _EDGE + (WIDTH - 2 * _EDGE) * (place / steps if len(finished) > 1 else 0.5)
                y = HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * min(max(value, 0.0), 1.0)
                values.setdefault(system.system, []).append((round(x, 1), round(y, 1), value))
    order = sorted(values, key=lambda system: -values[system][-1][2])[:MOST_LINES]
    return [
        Line(
            system,
            " ".join(f"{x},{y}" for x, y, _ in points),
            points[-1][0],
            points[-1][1],
            f"{system}: {points[0][2]:.2f} to {points[-1][2]:.2f} over {len(points)} runs",
        )
        for system in order
        if (points := values[system])
    ]


def policy(*, scoring: bool = False) -> str:
    """Return the content security policy of these pages: their own script, by its hash, forms to this server only."""
    asking = "; connect-src 'self'" if scoring else ""
    return policy_of(asset(SCORING if scoring else SCRIPT), "'self'") + f"{asking}; frame-ancestors 'none'"


def home_page(
    runs: Sequence[Any], headline: Sequence[str], form_key: str, notice: str = "", juries: Sequence[Any] = ()
) -> str:
    """Render the list of runs, grouped by data set, the newest first."""
    sets: dict[str, list[Any]] = {}
    for run in runs:
        sets.setdefault(run.dataset, []).append(run)
    return _render(
        "home/runs.html.j2",
        title="Runs",
        sets=[(name, of_set, lines_of(of_set), _scored(of_set)) for name, of_set in sets.items()],
        n_runs=len(runs),
        headline=[BY_NAME[name] for name in headline],
        tags=sorted({tag for run in runs for tag in run.tags}),
        form_key=form_key,
        notice=notice,
        juries=juries,
        spark=(WIDTH, HEIGHT),
    )


def _scored(runs: Sequence[Any]) -> list[int]:
    """Return the places of the headline metrics that some system of these runs has a value of."""
    values = [system.values for run in runs for system in run.systems]
    return [place for place, column in enumerate(zip(*values, strict=True)) if set(column) != {None}]


def pairs_page(found: Any, chosen: Any, orders: Sequence[str], most: int) -> str:
    """Render the questions of two sides."""
    return _render(
        "home/pairs.html.j2", title="Side by side", found=found, chosen=chosen, orders=orders, most=most
    )


def answers_page(found: Any) -> str:
    """Render a question with one answer, or two side by side."""
    return _render("home/answers.html.j2", title=text_of(found.question["question"]), found=found)


def changes_page(found: Any, names: tuple[str, str], most: int) -> str:
    """Render what changed between two runs, and what changed it: first the metrics that the report's table has."""
    scores = [row for row in found.changed if row["difference"] is not None]
    first = set(headings("report"))
    order = {name: place for place, name in enumerate(BY_NAME)}
    parts = list(dict.fromkeys(name for row in scores for name in row["parts"]))
    groups: dict[tuple[int, str, str], list[Any]] = {}
    for row in scores:
        groups.setdefault((order.get(row["metric"], len(order)), row["metric"], row["system"]), []).append(
            row
        )
    means: dict[bool, list[Any]] = {True: [], False: []}
    for (_, metric, system), rows in sorted(groups.items()):
        change = sum(row["difference"] for row in rows) / len(rows)
        of_parts = [_mean_part([row["parts"].get(name, 0.0) for row in rows]) for name in parts]
        means[metric in first].append((_label(metric), system, len(rows), change, of_parts))
    largest = sorted(
        (row for row in scores if row["metric"] in first),
        key=lambda row: -abs(row["difference"]) / BY_NAME[row["metric"]].high,
    )
    return _render(
        "home/changes.html.j2", title="What changed", found=found, names=names, parts=parts, means=means,
        largest=[(row, _label(row["metric"])) for row in largest[:most]], n_scores=len(largest),
    )  # fmt: skip


def ask_page(
    questions: Sequence[Any],
    asked: Any,
    sql: str,
    answer: Any = None,
    refused: str = "",
    most: int = 500,
    n_columns_left: int = 0,
) -> str:
    """Render ready questions, and the answer to one as a chart and a table; of a view some columns may be left out."""
    names, types, rows = answer or ([], [], None)
    return _render(
        "home/ask.html.j2", title=asked.asks if asked else "Questions", questions=questions, asked=asked, sql=sql,
        refused=refused, names=names, rows=None if rows is None else [[cell(one) for one in row] for row in rows],
        n_columns_left=n_columns_left, numeric=[kind.split("(")[0] in bars.NUMBERS for kind in types], most=most,
        chart=bars.bars_of(names, types, rows) if rows else None, width=bars.WIDTH, left=bars.LEFT,
    )  # fmt: skip


def cell(value: Any) -> Any:
    """Return a value as a table shows it: numbers with three places, lists with commas, None as it is."""
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else value


def _label(metric: str) -> str:
    return BY_NAME[metric].label if metric in BY_NAME else metric.replace("_", " ")


def _mean_part(values: Sequence[float | None]) -> float | None:
    """Return the mean of a part over scores; None where it is not computed for all of them."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def annotate_page(
    found: Any,
    work: Any,
    item: str,
    annotator: str,
    disputed: Sequence[tuple[str, str]],
    *,
    run_id: str,
    form_key: str,
    named: bool,
) -> str:
    """Render an answer with the scales that it is scored on, and the nuggets on which a person's word is wanted."""
    before, after = work.beside(item, -1), work.beside(item, 1) or ""
    return _render(
        "home/annotate.html.j2", SCORING, title=text_of(found.question["question"]), found=found, work=work, item=item,
        annotator=annotator, run_id=run_id, form_key=form_key, named=named, aspects=BROWSER_ASPECTS, scores=SCORES,
        before=before, after=after, disputed=disputed, nugget_states=NUGGET_STATES,
    )  # fmt: skip


def annotators_page(
    task: Any, people: Sequence[tuple[str, int, str]], agreed: Sequence[Any], n_items: int
) -> str:
    """Render who scores a run's answers, how far each is, and how well they agree."""
    return _render(
        "home/annotators.html.j2", title="Scores by people", run_id=task.run.run_id, name=task.name,
        dataset=task.run.dataset, named=task.named, order=task.order, people=people, agreed=agreed, n_items=n_items,
    )  # fmt: skip


def case_page(work: Any, item: str, expert: str, agreed: Sequence[Any], form_key: str) -> str:
    """Render an evaluation of a judge's data with what an expert checks of it; neither systems nor evaluator named."""
    case = work.items[item]
    looked_up = "\n\n".join(f"{one.question}\n{one.answer}" for one in case.exchanges)
    parts = [
        ("The evaluation", case.evaluation, False),
        ("Reference answer", case.reference, False),
        *((f"Doctor {n}", text, False) for n, text in enumerate(case.responses, 1)),
        ("What the evaluator looked up", looked_up, True),
    ]
    return _case(
        work, item, f"{expert} checks {counted(len(work.items), 'evaluation')}", "evaluation", parts, agreed,
        form_key, fields=CHECKS,
    )  # fmt: skip


def jury_page(work: Any, item: str, review: Any, juror: str, agreed: Sequence[Any], form_key: str) -> str:
    """Render a case of which the evaluators did not agree, with the correction that a juror accepts or refuses."""
    case = work.items[item]
    points = case.scores or [None] * len(case.responses)
    parts = [
        ("The correction that was suggested", review.suggestion, False),
        ("The judge's evaluation", review.own, False),
        *((f"Objection {n}", text, False) for n, text in enumerate(review.objections, 1)),
        *(
            (f"Doctor {n}" + (f", {counted(given, 'point')} in the reference" if given else ""), text, False)
            for n, (text, given) in enumerate(zip(case.responses, points, strict=True), 1)
        ),
        ("Reference answer", case.reference, False),
    ]
    return _case(
        work, item, f"{juror} is on the jury of {counted(len(work.items), 'case')}", "case", parts, agreed, form_key,
        fields=VOTE, suggestion=work.said.get(item, {}).get("suggestion", ""),
    )  # fmt: skip


def _case(
    work: Any,
    item: str,
    where: str,
    noun: str,
    parts: Sequence[tuple[str, str | None, bool]],
    agreed: Sequence[Any],
    form_key: str,
    **more: Any,
) -> str:
    return _render(
        "home/case.html.j2", SCORING, title=work.items[item].question, work=work, item=item, where=where, noun=noun,
        parts=[part for part in parts if part[1]], agreed=agreed, form_key=form_key, before=work.beside(item, -1),
        after=work.beside(item, 1), **more,
    )  # fmt: skip


def jurors_page(jury: Any, people: Sequence[tuple[str, int, str]], agreed: Sequence[Any]) -> str:
    """Render who is on the jury of a training's cases, how far each is, and how well they agree."""
    return _render("home/jurors.html.j2", title="Jury", jury=jury, people=people, agreed=agreed)


def told_page(title: str, words: str) -> str:
    """Render a page that says one thing."""
    return _render("home/told.html.j2", title=title, words=words)


def _render(name: str, script: str = SCRIPT, /, **shown: Any) -> str:
    from markupsafe import Markup

    page = (
        environment()
        .get_template(name)
        .render(
            **shown,
            style=Markup(asset("page.css") + asset("home/home.css")),
            script=Markup(asset(script)),
            states=STATES,
        )
    )
    return str(page).encode("utf-8", "replace").decode("utf-8")
