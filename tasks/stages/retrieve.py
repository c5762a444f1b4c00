"""Stage `retrieve`: BM25 passages of the supplied documents for each sentence."""

from typing import Any

from medassay.models.attribution import WEIGHTS
from medassay.models.settings import Settings
from medassay.tasks.answer_sentences import split_sentences
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Stage, Step, reads_here

BATCH = 500


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the ranking function and how many passages are taken."""
    from medassay.models.sources import retrieval

    return retrieval.describe()


def work(step: Step) -> None:
    """Retrieve passages of the supplied documents for each sentence."""
    from medassay.models.sources.retrieval import Corpus

    passages = step.warehouse.rows("from current_corpus order by source_id, position")
    corpus = Corpus([" ".join(filter(None, (row["title"], row["text"]))) for row in passages])
    for batch in step.batches(BATCH):
        searches, found = [], []
        for row in batch:
            hits = corpus.search(row["text"])
            key = {
                "text_key": row["text_key"],
                "corpus_key": row["corpus_key"],
                "fingerprint": step.fingerprint,
            }
            searches.append({**key, "n_found": len(hits)})
            found += [
                {
                    **key,
                    "rank": rank,
                    "source_id": passages[hit.place]["source_id"],
                    "passage_key": passages[hit.place]["text_key"],
                    "score": hit.score,
                }
                for rank, hit in enumerate(hits, start=1)
            ]
        with step.warehouse.transaction():
            step.warehouse.insert("retrieved_passage", found)
            step.warehouse.insert("retrieval", searches)
        step.advance(len(batch))


def is_asked(run: RunRef) -> bool:
    """Return whether the profile wants passages found for sentences."""
    return run.settings.profile == "bioace"


retrieve = Stage(
    "retrieve",
    work,
    spec,
    WEIGHTS,
    is_asked,
    split_sentences,
    travels=reads_here,
    reads=("claim",),
    writes=("answer_sentence", "retrieval", "retrieved_passage"),
)
