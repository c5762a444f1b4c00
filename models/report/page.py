"""Render a run's rows as one HTML file without network access."""

import base64
import hashlib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

from medassay.metrics import METRICS, headings
from medassay.models.counting import counted
from medassay.models.report.answer_map import MOST_POINTS, answer_maps
from medassay.models.report.calibrations import calibrations, marks
from medassay.models.report.citations import AT_ONCE, rates_by_kind, sufficiency, troubled, uncited
from medassay.models.report.close_calls import MOST_DISPUTES, MOST_SHOWN, close_calls, disputes
from medassay.models.report.comparisons import MOST_QUESTIONS_ASKED, agreements, arranged, win_matrix
from medassay.models.report.criteria import criteria
from medassay.models.report.exclusions import left_out
from medassay.models.report.figures import (
    HEAT_LIMIT,
    cautions,
    columns_of,
    dot_plots,
    heat_at_once,
    heat_map,
    long_scores,
    standings,
    state_bars,
    valued,
)
from medassay.models.report.judges import drift, standing
from medassay.models.report.overview import (
    counts_of,
    facts_of,
    headline,
    is_unlicensed,
    sorted_by,
    systems_of,
    warnings_of,
)
from medassay.models.report.packing import MOST_BYTES, pack_details, safe_json
from medassay.models.report.passages_shown import in_words, lumps
from medassay.models.report.rows import ReportData, count_of, grouped, moment_of, number_of, text_of
from medassay.models.report.scatter import scatters
from medassay.models.report.states import CITATION_STATES, STATES

# What stands around a question's details, and the limit under which passages are shortened.
_TAGS, _WHOLE = 60, 20_000


def render(report: ReportData) -> str:
    """Write the report of one run as a whole HTML document.

    Every text of the run is escaped by the template or carried as inert JSON; the page's policy allows only its
    own script, by its hash, so that an answer that holds a script runs none.

    Args:
        report: rows of the analysts' views; of several runs the last is shown. Missing views leave their parts
            out, a missing value is a dash with its reason.
    """
    from markupsafe import Markup

    data = report.of_run()
    systems = systems_of(data)
    scores = long_scores(data)
    with_value, without_value = valued(scores)
    ranked = standings(data)
    board, unscored = columns_of(ranked)
    to_look_at, n_troubled = troubled(data)
    without, n_without = uncited(data)
    heat, heat_more = heat_at_once(heat_map(data, systems))
    script, style = asset("page.js"), asset("page.css")
    shown = dict(
        run=data.run,
        title=text_of(data.run.get("name") or data.run.get("dataset")) or "Evaluation",
        when=moment_of(data.run.get("finished_at") or data.run.get("started_at")),
        policy=policy_of(script),
        style=Markup(style),
        script=Markup(script),
        headline=headline(data),
        counts=counts_of(data, systems),
        facts=facts_of(data),
        warnings=warnings_of(data),
        systems=systems,
        standings=ranked,
        board=board,
        unscored=unscored,
        cautions=cautions(ranked),
        most_asked=MOST_QUESTIONS_ASKED,
        linked=list(headings("report")),
        sorted_by=sorted_by(data),
        scores=scores,
        plots=dot_plots(scores, systems, text_of(data.run.get("profile")) or "seed"),
        maps=answer_maps(data, systems),
        map_limit=MOST_POINTS,
        heat=heat,
        heat_more=heat_more,
        heat_limit=HEAT_LIMIT,
        bars=state_bars(data, systems),
        criteria=criteria(data, systems),
        citation_rates=rates_by_kind(data, systems),
        troubled=to_look_at,
        n_troubled=n_troubled,
        sufficiency=sufficiency(data, systems),
        uncited=without,
        n_uncited=n_without,
        troubled_at_once=AT_ONCE,
        left_out=left_out(data),
        unlicensed=is_unlicensed(data),
        states=STATES,
        citation_states=CITATION_STATES,
        metrics=with_value,
        valueless=without_value,
        costs=_plain(data.run_costs),
        judges=standing(data),
        marks=marks(data),
        calibrations=calibrations(data),
        drift=drift(data),
        stages=_plain(data.run_stages),
        contrasts=arranged(data, systems),
        close=close_calls(data),
        close_limit=MOST_SHOWN,
        disputes=disputes(data),
        dispute_limit=MOST_DISPUTES,
        scatters=scatters(data),
        wins=win_matrix(data, systems, sorted_by(data).name),
        agreements=agreements(data),
        n_questions=data.n_questions,
        index=Markup(safe_json(_index(data, systems, {metric.name for metric in with_value}))),
    )
    # What the page takes without the details decides how much of them it can carry.
    bare = (
        environment().get_template("page.html.j2").render(**shown, details=[], n_detailed=0, passage_limit=0)
    )
    details, limit = pack_details(
        data, systems, MOST_BYTES - len(bare.encode("utf-8", "replace")) - _TAGS * len(data.questions)
    )
    page = (
        environment()
        .get_template("page.html.j2")
        .render(
            **shown,
            details=[Markup(block) for block in details],
            n_detailed=sum(bool(block) for block in details),
            passage_limit=limit if limit < _WHOLE else None,
        )
    )
    return str(page).encode("utf-8", "replace").decode("utf-8")


def _index(data: ReportData, systems: list[str], valued_names: set[str]) -> dict[str, Any]:
    """What the list of questions needs before any is opened: small enough for thousands.

    `valued_names` are the metrics that some system has a value of: an answer shows no others.
    """
    from medassay.models.statistics.contrast import TIE_MARGIN

    scores = grouped(data.answer_scores, "question_id", "system")
    answers = grouped(data.answers, "question_id", "system")
    nuggets = grouped(data.nugget_states, "question_id", "system")
    verdicts = grouped(data.citation_verdicts, "question_id", "system")
    judged = grouped(data.judgements, "question_id", "system")
    uncited = grouped(data.uncited_claims, "question_id", "system")
    questions = []
    for row in data.questions:
        question_id = text_of(row.get("question_id"))
        by_system = []
        for system in systems:
            key = question_id, system
            values = scores.get(key, [{}])[0]
            nugget_states = [text_of(state.get("state")) for state in nuggets.get(key, [])]
            citation_states = [text_of(verdict.get("state")) for verdict in verdicts.get(key, [])]
            answer = answers.get(key, [{}])[0]
            by_system.append(
                {
                    "state": text_of(answer.get("state")),
                    "contradicted": nugget_states.count("contradicted"),
                    "missing": nugget_states.count("missing"),
                    "partial": nugget_states.count("partial"),
                    "covered": nugget_states.count("covered"),
                    "cites": dict(Counter(citation_states)),
                    "uncited": len(uncited.get(key, [])),
                    "unjudged": any(j.get("status") in ("abstained", "failed") for j in judged.get(key, [])),
                    "scores": [_brief(values.get(name)) for name in headings("report")],
                }
            )
        questions.append(
            {
                "id": question_id,
                "question": text_of(row.get("question")),
                "category": text_of(row.get("category")),
                "risk": text_of(row.get("risk_level")),
                "systems": by_system,
            }
        )
    return {
        "tie": TIE_MARGIN,
        "systems": systems,
        "board": list(headings("report")),
        "plotted": [name for name in headings("plot") if name in valued_names],
        "judged": bool(data.judgements),
        "metrics": {
            m.name: [_marked(m.label, m.group.name, data), m.means, m.points, m.group.name] for m in METRICS
        },
        "states": {name: list(words) for name, words in STATES.items()},
        "questions": questions,
    }


def _marked(label: str, group: str, data: ReportData) -> str:
    """Name a metric; the rubric's say that nobody has examined who gave them."""
    return f"{label} (unlicensed judge)" if group == "rubric" and is_unlicensed(data) else label


def _brief(value: Any) -> float | None:
    """Shorten a number, not so far that two of its digits could change."""
    number = number_of(value)
    return None if number is None else round(number, 6)


def _plain(rows: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


def policy_of(script: str, forms: str = "'none'") -> str:
    """Return a content security policy that runs this one script, and sends forms to `forms`."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        f"base-uri 'none'; form-action {forms}"
    )


def starred(text: str) -> str:
    """Return text as HTML with what stands between stars emphasised, as reasons quote what two texts say."""
    from markupsafe import Markup, escape

    parts = text.split("*")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup().join(
        Markup('<em class="said-so">{}</em>').format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


@cache
def asset(name: str) -> str:
    """Return a template, style or script of the pages."""
    return files("medassay.models.report").joinpath("assets", name).read_text("utf-8")


@cache
def environment() -> Any:
    """Return what renders the pages' templates: every text is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["text"] = text_of
    made.filters["signed"] = lambda value: f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")
    made.filters["counted"] = counted
    made.filters["lumps"] = lumps
    made.filters["in_words"] = in_words
    made.filters["starred"] = starred
    made.filters["quiet"] = lambda label: label.lower() if label.isupper() else label
    made.filters["count"] = lambda value: f"{count_of(value):,}"
    made.filters["seconds"] = lambda value: "–" if number_of(value) is None else f"{number_of(value):,.1f}"
    return made
