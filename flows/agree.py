"""Do people agree with the numbers: evaluate, then hold automatic scores against human ones."""

from pathlib import Path
from typing import Any

from prefect import flow

from flows.artifacts import show_table
from flows.evaluate import Share, evaluate
from models.settings import Matcher, Profile
from sql.snapshot import read_results
from sql.warehouse import home_folder


@flow(name="agree", validate_parameters=True, persist_result=False)
def agree(
    data: str,
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
    """Measure answers and say how far the scores agree with the human ones that lie beside them.

    Args:
        data: Folder with answers and `human_scores.*`, or a form that carries its own judgements (MedAESQA, K-QA).
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
    rows = read_results(folder, agreement_query(summary["run_id"]))
    stand_ins = [row for row in rows if row["stands_in"]]
    show_table(
        "agreement", stand_ins, "Automatic against human scores, beside what people reach among themselves"
    )
    return {**summary, "agreement": rows}


def agreement_query(run_id: str) -> str:
    """Return the query of a run's agreement, by human score and level."""
    return (
        f"select * exclude (run_id) from agreement where run_id = '{run_id}'"
        " order by human_metric, stands_in desc, metric, level, measure"
    )
