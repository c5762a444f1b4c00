"""Evaluate answers: what they cover, what they get wrong, whether their citations hold, how a rubric scores them."""

from pathlib import Path
from typing import Annotated, Any

from prefect import flow
from pydantic import Field

from flows.artifacts import show_results, show_validation, watched_on_the_run_page
from models.settings import EntailOn, Matcher, Phi, Profile, Settings
from sql.warehouse import home_folder
from tasks.aggregate import aggregate
from tasks.assign import assign_nuggets
from tasks.decompose import decompose_answers
from tasks.embed import embed
from tasks.entail import entail
from tasks.fetch import fetch
from tasks.ingest import ingest
from tasks.joint import read_jointly
from tasks.judge import judge_answers
from tasks.listwise import compare_answers
from tasks.match import match_nuggets
from tasks.nuggets import make_nuggets
from tasks.phi import refuse_phi
from tasks.pool import refuse_without_worker
from tasks.publish import publish_snapshot, write_report
from tasks.retrieve import retrieve
from tasks.run import RunRef, started_run
from tasks.sentences import label_sentences
from tasks.shortlist import choose_pairs
from tasks.spending import check_prices
from tasks.summary import Summary, refuse_too_many_failures, summarise
from tasks.validate import validate

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Amount = Annotated[int, Field(ge=0)]
Money = Annotated[float, Field(ge=0.0)]
AtLeastOne = Annotated[int, Field(ge=1)]


@flow(name="evaluate", validate_parameters=True, persist_result=False)
def evaluate(
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
    sort_by: str = "nugget_coverage",
    run_name: str | None = None,
    dataset: str | None = None,
    retry: bool = False,
    samples: AtLeastOne = 1,
    listwise: bool = False,
    phi: Phi = "block",
    max_calls: Amount | None = None,
    max_tokens: Amount | None = None,
    max_money: Money | None = None,
    prices: str | None = None,
    entail_on: EntailOn = "here",
    wait: bool = True,
    home: str | None = None,
) -> dict[str, Any]:
    """Measure a file or folder of biomedical answers and publish the results.

    Args:
        data: Folder with `questions.*`, `answers.*` and perhaps `documents.*`, or one file of whole records
            (JSONL, JSON, CSV, Parquet; .gz too).
        profile: Which published definition completeness, correctness, precision and recall follow:
            seed (default), bioace (the paper's own code) or trec (AutoNuggetizer).
        judge: Who gives the rubric's marks: `auto` (embedded where it is pulled), `none`, `embedded`,
            or an OpenAI-compatible server and its model, such as `https://llm.hospital.example/v1#big-model`.
            Several with commas between them are a panel: an answer's mark is the mean of all of them.
        llm: A model that splits answers into atomic facts, makes nuggets from reference answers and says which
            of them an answer holds, in the same form; `none` keeps to the embedded rules and signals.
        embedder: Sentence-embedding model: `embedded`, or `hf:` and a hub id or folder.
        entailment: Entailment model: `embedded`, `none`, `hf:` and a hub id or folder, or an OpenAI-compatible server
            and its model, which then checks every citation.
        entail_on: Where the entailment model reads: here, or on the workers of the work pool `gpu`.
        matcher: combined (fitted on physicians' labels) or cosine (the plain rule).
        threshold: Least score at which a claim and a nugget speak of the same thing, 0 to 1;
            below 0.6 much that differs counts as the same.
        offline: Ask no source outside this machine, even where NCBI_EMAIL is set.
        max_failed: Share of items that may fail, 0 to 1; over it the run is published and ends red.
        sort_by: Metric that the leaderboard is sorted by.
        run_name: A name for this run, for people.
        dataset: Name of the data set; its folder's or file's name unless given.
        retry: Ask again for sources that were not found and items that abstained.
        samples: How often the judge is asked about the same answer; the mark is the mean, the spread is reported.
        listwise: Have the judge compare the answers of a question side by side as well, in balanced orders.
        phi: What happens where something that may name a patient would leave this machine: block (the run ends
            before anything is sent), redact (placeholders are sent) or allow.
        max_calls: Most calls to models; the run stops cleanly there and the next one goes on.
        max_tokens: Most tokens to use, sent and received.
        max_money: Most money to spend, in the currency of the price file.
        prices: File of prices by model; `prices.json` in the home unless given.
        wait: Wait for another run in this home; off, end at once with exit code 3.
        home: Folder of the warehouse and the reports; MEDASSAY_HOME, else .medassay, unless given.
    """
    chosen = Settings(
        data,
        profile,
        judge,
        llm,
        embedder,
        entailment,
        matcher,
        threshold,
        offline=offline,
        max_failed=max_failed,
        sort_by=sort_by,
        run_name=run_name,
        dataset=dataset,
        retry=retry,
        samples=samples,
        phi=phi,
        listwise=listwise,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_money=max_money,
        prices=prices,
        entail_on=entail_on,
    )
    folder = Path(home).absolute() if home else home_folder()
    check_prices(chosen, folder)
    with started_run(folder, chosen, wait=wait) as run, watched_on_the_run_page():
        refuse_without_worker(run)
        ingest(run)
        show_validation(validate(run))
        refuse_phi(run)
        decompose_answers(run)
        make_nuggets(run)
        embed(run)
        fetch(run)
        retrieve(run)
        choose_pairs(run)
        entail(run)
        read_jointly(run)
        match_nuggets(run)
        assign_nuggets(run)
        label_sentences(run)
        judge_answers(run)
        compare_answers(run)
        aggregate(run)
        summary = published(run)
    refuse_too_many_failures(summary, max_failed)
    return summary.as_dict()


def published(run: RunRef) -> Summary:
    """Publish a finished run and say what came out."""
    snapshot = publish_snapshot(run)
    report = write_report(Path(run.home), run.run_id)
    summary = summarise(run, snapshot, report)
    show_results(summary)
    return summary
