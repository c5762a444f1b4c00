"""Comparison flow: answer or take answers, evaluate, compare every pair of systems, check for regressions."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow, task
from pydantic import Field

from medassay.flows.artifacts import progress_on_run_page, show_results, told_in_the_log
from medassay.flows.evaluate import evaluate
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import with_form, with_options
from medassay.models.answering.systems import PATTERN, Sampling, parse_systems
from medassay.models.options import AtLeastOne
from medassay.models.settings import Settings
from medassay.models.weights.hub import hub_closed
from medassay.sql.home import home_folder
from medassay.sql.snapshot import read_results
from medassay.tasks.answering.answer_folder import (
    Answered,
    charge_run,
    fresh_answers,
    left_of,
    refuse_unanswered,
)
from medassay.tasks.answering.answers import MOST_HOURS, Limits, age_of
from medassay.tasks.comparing.drift import judge_anchor
from medassay.tasks.comparing.grid import refuse_unknown_runs
from medassay.tasks.comparing.regressions import baseline_run, changes, newly_contradicted, refuse_regressions
from medassay.tasks.publish import write_report
from medassay.tasks.run import name_flow_run
from medassay.tasks.spending.caps import check_prices
from medassay.tasks.summary import Summary, TooManyFailed, summary_and_failure

SHOWN = (
    "metric, system_a, system_b, n_questions, n_dropped, difference, low, high, p_adjusted, wins, ties, losses,"
    " detectable_difference, questions_needed, reason, judge_note"
)
Temperature = Annotated[float, Field(ge=0.0, le=2.0)]
Hours = Annotated[float, Field(ge=0.0, le=MOST_HOURS)]
SystemSpec = Annotated[str, Field(pattern=PATTERN)]


@with_form
@flow(name="compare", validate_parameters=True, persist_result=False)
@with_failure_message
@with_options(
    answering=("cite", "temperature", "answer_tokens", "max_age", "with_given"),
    regressions=("fail_on_regression", "fail_on_contradiction", "anchor", "anchor_answers"),
)
def compare(  # noqa: D417  what the options say of themselves is added
    *,
    systems: list[SystemSpec] | None = None,
    cite: bool = False,
    temperature: Temperature = 0.5,
    answer_tokens: AtLeastOne = 200,
    max_age: Hours = 12.0,
    with_given: bool = False,
    baseline: str | None = None,
    fail_on_regression: bool = True,
    fail_on_contradiction: bool = True,
    anchor: str | None = None,
    anchor_answers: AtLeastOne = 30,
    settings: Settings,
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Measure several systems' answers and say which is better, and whether one got worse.

    Args:
        data: Folder with `questions.*` and `answers.*` of two or more systems, or one file of whole records;
            with `systems`, questions are enough.
        systems: Systems to ask now, one a line: `name=base_url,model`, and perhaps `,temperature=0.2,cite=yes`; or
            `name=embedded`, `name=hf:<folder>`. Keys are read from `MEDASSAY_<NAME>_API_KEY`. Without any, the answers
            in `data` count.
        answering: How the systems are asked.
        cite: Ask for PMIDs after each sentence.
        temperature: How freely answers are drawn, 0 to 2.
        answer_tokens: Most tokens of an answer.
        max_age: Hours for which an answer counts as today's; an older one is asked for anew. A schedule that fires
            more often than that measures the same answers again.
        with_given: Compare with the answers that lie beside the questions, too.
        baseline: Run to hold this one against: its id, its name, or `last`, the data set's run before.
        regressions: What ends the comparison red, and whether the judge itself is watched.
        fail_on_regression: End red where a primary metric of a system fell beyond its interval.
        fail_on_contradiction: End red where an answer turns one nugget around that it did not in the baseline.
        anchor: A finished run, by id or name, whose answers the judge marks again: does it still give the same marks?
        anchor_answers: Most answers of the anchor to mark again.
    """
    folder = Path(home).absolute() if home else home_folder()
    refuse_unknown_runs(folder, baseline, anchor)
    # Before any system is paid for its answers.
    check_prices(settings, folder)
    sampling = Sampling(temperature=temperature, tokens=answer_tokens, cite=cite)
    limits = Limits(
        settings.max_calls,
        settings.max_tokens,
        settings.max_money,
        settings.prices,
        age_of(max_age),
        settings.phi,
    )
    answered = None
    if systems:
        with hub_closed(settings.offline):
            answered = asked(folder, settings.data, systems, sampling, limits, with_given, wait)
        left = left_of(limits, answered.spent)
        settings = settings.but(
            data=answered.folder,
            dataset=settings.dataset or answered.dataset,
            max_calls=left.max_calls,
            max_tokens=left.max_tokens,
            max_money=left.max_money,
        )
    with told_in_the_log():
        summary, over = summary_and_failure(
            lambda: evaluate(**settings.choices(), wait=wait, home=str(folder))
        )
    charge(folder, answered)
    run_id = summary["run_id"]
    name_flow_run(settings.run_name or run_id)
    rows = read_results(folder, comparison_query(run_id))
    preferred = preferences_of(folder, run_id)
    drift = judged_anew(folder, run_id, anchor, anchor_answers, wait) if anchor and not over else []
    before = baseline_run(folder, baseline, run_id) if baseline else None
    found = changes(folder, run_id, before) if before else []
    turned = newly_contradicted(folder, run_id, before) if before else []
    show_results(
        Summary.of(summary),
        (f"Nuggets that answers turn around now, and did not in {before}", turned),
        (f"This run less {before}, paired by question", [c.as_dict() for c in found]),
        ("Every pair of systems on the primary metrics, adjusted together by Holm's rule", rows),
        ("Won, tied and lost by people or a judge, beside the metrics", preferred),
        (f"The judge's marks on the frozen answers of {anchor}, now less then; points of 100", drift),
        ("What came of asking each system", answered.systems if answered else []),
    )
    measured = {
        **summary,
        "asked": answered.systems if answered else [],
        "comparisons": rows,
        "preferences": preferred,
        "baseline": before,
        "changes": [c.as_dict() for c in found],
        "newly_contradicted": turned,
        "drift": drift,
    }
    if over:
        raise TooManyFailed(str(over), measured)
    if before:
        refuse_regressions(
            found if fail_on_regression else [], run_id, before, turned if fail_on_contradiction else []
        )
    if answered:
        refuse_unanswered(answered, settings.max_failed, measured)
    return measured


def asked(
    home: Path,
    data: str,
    systems: list[str],
    sampling: Sampling,
    limits: Limits,
    with_given: bool,
    wait: bool,
) -> Answered:
    """Ask the systems as a task of the flow."""
    chosen = parse_systems(systems, sampling)
    ask = task(
        name="answer", task_run_name=f"answer · {', '.join(s.name for s in chosen)}", persist_result=False
    )(fresh_answers)
    with progress_on_run_page():
        answered = ask(home, data, chosen, limits, with_given=with_given, wait=wait)
    return answered


def charge(home: Path, answered: Answered | None) -> None:
    """Count what asking the systems took to the published run that reads their answers, in its report too."""
    if answered and (run_id := charge_run(home, answered)):
        write_report(home, run_id)


def judged_anew(home: Path, run_id: str, anchor: str, most: int, wait: bool) -> list[dict[str, Any]]:
    """Have the judge mark the anchor again, and return how far its marks moved."""
    with progress_on_run_page():
        drift = task(name="drift", persist_result=False)(judge_anchor)(home, run_id, anchor, most, wait=wait)
    # The report was written before anything was marked again.
    write_report(home, run_id)
    return drift


def comparison_query(run_id: str) -> str:
    """Return the query of a run's declared family, the surest differences first."""
    return (
        f"select {SHOWN} from comparisons where run_id = '{run_id}' and family = 'primary'"
        " order by metric, p_adjusted nulls last, abs(difference) desc nulls last, system_a, system_b"
    )


def preferences_of(home: Path, run_id: str) -> list[dict[str, Any]]:
    """Return who prefers which of two systems how often, where anybody but the metrics was asked."""
    own = f"run_id = '{run_id}'"
    if not read_results(home, f"from preferences where {own} and preferred_by <> 'metric' limit 1"):
        return []
    return read_results(
        home,
        f"select * exclude (run_id) from preference_counts where {own}"
        " order by system_a, system_b, preferred_by = 'metric', preferred_by, who",
    )
