"""Stage `embed`: one vector for each distinct sentence."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from medassay.models.attribution import EMBEDDER
from medassay.models.chat.endpoint import Endpoint
from medassay.models.served_embedding import TEXTS_A_CALL, embed_texts, embedder_address
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.model_cache import loaded
from medassay.tasks.stages.stage import Stage, Step, reads_here

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 2_000
CONCURRENCY = 8


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the sentence-embedding model."""
    from medassay.models.embedding import describe_embedder

    return describe_embedder(settings.embedder)


def work(step: Step) -> None:
    """Embed claims and nuggets that have no vector yet."""
    endpoint = embedder_address(step.settings.embedder)
    for batch, vectors in _asked(step, endpoint) if endpoint else _loaded(step):
        step.warehouse.insert(
            "embedding",
            [
                {"text_key": row["item_key"], "fingerprint": step.fingerprint, "vector": vector}
                for row, vector in zip(batch, vectors, strict=True)
            ],
        )


Embedded = Iterator[tuple[list[Row], "NDArray[np.float32] | list[NDArray[np.float32]]"]]


def _loaded(step: Step) -> Embedded:
    from medassay.models.embedding import load_embedder

    asked = step.settings.embedder
    embedder = loaded("embedder", asked, lambda: load_embedder(asked))
    for batch in step.batches(BATCH):
        yield batch, embedder.encode([row["text"] for row in batch], on_progress=step.advance)


def _asked(step: Step, endpoint: Endpoint) -> Embedded:
    """Ask a server, under the run's caps and behind the PHI guard; what a batch brought is on disk before the next."""
    from medassay.models.chat.asking import ask_all
    from medassay.tasks.phi import guarded_requests
    from medassay.tasks.spending.caps import cap_for
    from medassay.tasks.spending.ledger import ledger_for

    ledger, cap = ledger_for(step), cap_for(step.run, endpoint)

    def ask(requests: Any) -> Any:
        return ask_all(
            guarded_requests(step, endpoint, requests), endpoint, ledger, concurrency=CONCURRENCY, cap=cap
        )

    for batch in step.batches(CONCURRENCY * TEXTS_A_CALL):
        texts, keys = [row["text"] for row in batch], [row["item_key"] for row in batch]
        yield batch, embed_texts(texts, keys, ask, endpoint.label)
        step.advance(len(batch))


def travels(settings: Settings) -> bool:
    """Return whether vectors are made by a model of ours, wherever the other stages work."""
    return reads_here(settings) and embedder_address(settings.embedder) is None


embed = Stage("embed", work, spec, EMBEDDER, travels=travels, writes=("embedding",))
