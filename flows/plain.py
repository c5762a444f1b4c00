"""The stages of an evaluation without Prefect: the same rows, for checks that need no page and no retries."""

from tasks.aggregate import aggregate
from tasks.asking import describe_llm
from tasks.assign import ASSIGN
from tasks.decompose import decompose_answers
from tasks.embed import embed
from tasks.entail import ENTAIL
from tasks.ingest import ingest
from tasks.joint import JOINT
from tasks.judge import JUDGE
from tasks.match import match_nuggets
from tasks.nuggets import make_nuggets
from tasks.retrieve import RETRIEVE
from tasks.run import RunRef
from tasks.sentences import LABEL, split_sentences
from tasks.shortlist import choose_pairs
from tasks.stages import Stage
from tasks.validate import validate


def measure(run: RunRef) -> None:
    """Take a started run from its data to its frozen results; nothing is fetched, and no judge is asked."""
    asks = describe_llm(run.settings) is not None
    whole_sentences = run.settings.profile == "bioace"
    ingest(run)
    validate(run)
    do(decompose_answers, run, wanted=True)
    if whole_sentences:
        split_sentences(run)
    for stage, wanted in (
        (make_nuggets, True),
        (embed, True),
        (RETRIEVE, whole_sentences),
        (choose_pairs, True),
        (ENTAIL, run.settings.entailment != "none"),
        (JOINT, run.settings.entailment != "none"),
        (match_nuggets, True),
        (ASSIGN, asks),
        (LABEL, asks and whole_sentences),
        (JUDGE, False),
    ):
        do(stage, run, wanted=wanted)
    aggregate(run)


def do(stage: Stage, run: RunRef, *, wanted: bool) -> None:
    """Run a stage, or only write down that nothing was asked of it."""
    if wanted:
        stage.run(run)
    else:
        stage.pin(run)
