"""Agreement flow: evaluate, then compare automatic scores with human scores."""

from pathlib import Path
from typing import Any

from prefect import flow, task

from medassay.flows.artifacts import progress_on_run_page, show_results, told_in_the_log
from medassay.flows.evaluate import evaluate
from medassay.flows.failures import with_failure_message
from medassay.flows.forms import with_form, with_options
from medassay.models.rationales.loading import refuse_unknown
from medassay.models.settings import Settings
from medassay.sql.home import home_folder
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import statement
from medassay.tasks.judge_training.agreeing import judge_table
from medassay.tasks.people.opinions import refuse_silence, refuse_unused_human_scores
from medassay.tasks.people.rationales import REFERENCE, score_rationales
from medassay.tasks.run import name_flow_run
from medassay.tasks.summary import Summary, TooManyFailed, summary_and_failure


@with_form
@flow(name="agree", validate_parameters=True, persist_result=False)
@with_failure_message
@with_options(rationales=("reference", "bertscore", "bartscore"))
def agree(  # noqa: D417  what the options say of themselves is added
    *,
    reference: str = REFERENCE,
    bertscore: str = "embedded",
    bartscore: str = "none",
    settings: Settings,
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Measure answers and say how far the scores agree with the human ones that lie beside them.

    Args:
        data: Folder with answers and `human_scores.*`, or a form that carries its own judgements (MedAESQA, K-QA).
        rationales: How rationales of people and systems are held against each other.
        reference: Whose rationales of `rationales.*` the others are held against.
        bertscore: Encoder for BERTScore of rationales: `none`, `embedded`, or `hf:` and a hub id or folder.
        bartscore: Sequence-to-sequence model for BARTScore of rationales: `none`, or `hf:` and a hub id or folder.
    """
    refuse_unknown(bertscore, bartscore)
    folder = Path(home).absolute() if home else home_folder()
    refuse_silence(folder, settings.data, settings.dataset, wait=wait)
    with told_in_the_log():
        summary, over = summary_and_failure(
            lambda: evaluate(**settings.choices(), wait=wait, home=str(folder))
        )
    run_id = summary["run_id"]
    name_flow_run(settings.run_name or run_id)
    refuse_unused_human_scores(folder, run_id, summary["dataset"], wait=wait)
    with progress_on_run_page():
        task(name="rationales", persist_result=False)(score_rationales)(
            folder, run_id, reference, bertscore, bartscore, wait=wait
        )
    rows = read_results(folder, agreement_query(run_id))
    stand_ins = [row for row in rows if row["stands_in"]]
    compared = judge_table(folder, run_id, summary["dataset"], settings.judge)
    show_results(
        Summary.of(summary),
        ("Automatic against human scores, beside what people reach among themselves", stand_ins),
        ("The judge that compares answers, beside baselines", compared),
    )
    (took,) = read_results(folder, statement("statements/people/cost_of_an_answer"), [run_id])
    measured = {**summary, "agreement": rows, "judge_table": compared, "took": took}
    if over:
        raise TooManyFailed(str(over), measured)
    return measured


def agreement_query(run_id: str) -> str:
    """Return the query of a run's agreement, by human score and level."""
    return (
        f"select * exclude (run_id) from agreement where run_id = '{run_id}'"
        " order by human_metric, stands_in desc, metric, profile, level, measure, stratum"
    )
