"""Stage `embed`: one vector for each distinct sentence."""

from typing import Any

from medassay.models.attribution import EMBEDDER
from medassay.models.settings import Settings
from medassay.tasks.model_cache import loaded
from medassay.tasks.stages.stage import Stage, Step, reads_here

BATCH = 2_000


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the sentence-embedding model."""
    from medassay.models.embedding import describe_embedder

    return describe_embedder(settings.embedder)


def work(step: Step) -> None:
    """Embed claims and nuggets that have no vector yet."""
    from medassay.models.embedding import load_embedder

    asked = step.settings.embedder
    embedder = loaded("embedder", asked, lambda: load_embedder(asked))
    for batch in step.batches(BATCH):
        vectors = embedder.encode([row["text"] for row in batch], on_progress=step.advance)
        step.warehouse.insert(
            "embedding",
            [
                {"text_key": row["item_key"], "fingerprint": step.fingerprint, "vector": vector}
                for row, vector in zip(batch, vectors, strict=True)
            ],
        )


embed = Stage("embed", work, spec, EMBEDDER, travels=reads_here, writes=("embedding",))
