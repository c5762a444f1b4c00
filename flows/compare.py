"""Which system is better: evaluate, compare every pair, hold the run against one before it."""

from pathlib import Path
from typing import Any

from prefect import flow

from flows.artifacts import show_table
from flows.evaluate import Share, evaluate
from models.settings import Matcher, Profile
from sql.snapshot import read_results
from sql.warehouse import home_folder
from tasks.regressions import baseline_run, changes, refuse_regressions

SHOWN = (
    "metric, system_a, system_b, n_questions, n_dropped, difference, low, high, p_adjusted, wins, ties, losses,"
    " detectable_difference, questions_needed, reason"
)


@flow(name="compare", validate_parameters=True, persist_result=False)
def compare(
    data: str,
    baseline: str | None = None,
    fail_on_regression: bool = True,
    profile: Profile = "seed",
    judge: str = "auto",
    llm: str = "none",
    embedder: str = "embedded",
    entailment: str = "embedded",
    matcher: Matcher = "combined",
    threshold: Share = 0.75,
    offline: bool = False,
    max_failed: Share = 0.02,
    run_name: str | None = None,
    dataset: str | None = None,
    retry: bool = False,
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Measure several systems' answers and say which is better, and whether one got worse.

    Args:
        data: Folder with `questions.*` and `answers.*` of two or more systems, or one file of whole records.
        baseline: Run to hold this one against: its id, its name, or `last`, the data set's run before.
        fail_on_regression: End red where a primary metric of a system fell beyond its interval.
        profile: Which definition completeness, correctness, precision and recall follow.
        judge: Who gives the rubric's marks: auto, none, embedded, or a server's address, # and its model.
        llm: A model that splits answers into atomic facts, in the same form.
        embedder: Sentence-embedding model.
        entailment: Entailment model.
        matcher: combined (fitted on physicians' labels) or cosine (the plain rule).
        threshold: Least score at which a claim and a nugget speak of the same thing, 0 to 1.
        offline: Ask no source outside this machine.
        max_failed: Share of items that may fail, 0 to 1.
        run_name: A name for this run, for people.
        dataset: Name of the data set; its folder's or file's name unless given.
        retry: Ask again for sources that were not found and items that abstained.
        wait: Wait for another run in this home; off, end at once with exit code 3.
        home: Folder of the warehouse and the reports.
    """
    folder = Path(home).absolute() if home else home_folder()
    summary = evaluate(
        data, profile, judge, llm, embedder, entailment, matcher, threshold, offline, max_failed,
        run_name=run_name, dataset=dataset, retry=retry, wait=wait, home=str(folder),
    )  # fmt: skip
    run_id = summary["run_id"]
    rows = read_results(folder, comparison_query(run_id))
    show_table(
        "comparison", rows, "Every pair of systems on the primary metrics, adjusted together by Holm's rule"
    )
    found, before = [], None
    if baseline:
        before = baseline_run(folder, baseline, run_id)
    if before:
        found = changes(folder, run_id, before)
        show_table("changes", [c.as_dict() for c in found], f"This run less {before}, paired by question")
    if before and fail_on_regression:
        refuse_regressions(found, run_id, before)
    return {**summary, "comparisons": rows, "baseline": before, "changes": [c.as_dict() for c in found]}


def comparison_query(run_id: str) -> str:
    """Return the query of a run's declared family, the surest differences first."""
    return (
        f"select {SHOWN} from comparisons where run_id = '{run_id}' and family = 'primary'"
        " order by metric, p_adjusted nulls last, abs(difference) desc nulls last, system_a, system_b"
    )
