"""Entry point of the GPU worker: read a shard of pairs, write its verdicts; no warehouse."""

import time

from prefect import flow

from medassay.models.entailment import describe_entailment, load_entailment
from medassay.models.entailment.shard_files import ShardRefused, Storage
from medassay.models.entailment.shards import (
    check_model,
    read_request,
    write_sign_of_life,
    write_verdicts,
)

BETWEEN_SIGNS_S = 10.0


class SignsOfLife:
    """Tells the evaluation that waits how far its shard has been read, every few seconds at most."""

    def __init__(self, storage: Storage, shard: str) -> None:
        self.storage, self.shard = storage, shard
        self.n_read, self.said = 0, time.monotonic()

    def __call__(self, n_more: int) -> None:
        """Count pairs that were read, and say so where it is time to."""
        self.n_read += n_more
        if time.monotonic() - self.said >= BETWEEN_SIGNS_S:
            self.said = time.monotonic()
            write_sign_of_life(self.storage, self.shard, self.n_read)


@flow(name="entail", validate_parameters=True, persist_result=False)
def entail(shard: str, storage: str) -> int:
    """Read one shard of pairs for an evaluation that runs elsewhere, and return how many it held.

    Args:
        shard: The shard's name: the digest of its pairs and the model that is asked.
        storage: URL of the folder of shards: a path that both machines see, or s3://, gs://, abfs:// …
    """
    place = Storage(storage)
    request = read_request(place, shard)
    write_sign_of_life(place, shard, 0)
    check_model(request, describe_entailment(request.asked, on_gpu=True))
    model = load_entailment(request.asked, dtype=str(request.described["dtype"]), warn=print)
    if request.asked.startswith("hf:") and model.fingerprint["name"] != request.asked[3:]:
        raise ShardRefused(
            f"shard {shard}: {request.asked} cannot be loaded here, and no other model may answer"
        )
    alive = SignsOfLife(place, shard)
    verdicts = model.score([(pair.premise, pair.hypothesis) for pair in request.pairs], alive)
    write_verdicts(place, request, verdicts)
    return len(request.pairs)
