"""Where pairs lie for the GPU work pool."""

import os
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.entailment.storage import Storage
from medassay.models.readers.choosing import CASCADE, LANGUAGE_MODEL, address_of
from medassay.models.settings import Settings
from medassay.tasks.run import RunRef


def storage_of(home: Path | str) -> Storage:
    """Return where shards travel: `MEDASSAY_SHARDS` (a folder or any fsspec URL), else `shards` in the home."""
    return Storage(os.environ.get("MEDASSAY_SHARDS") or str(Path(home).absolute() / "shards"))


def reads_on_the_pool(settings: Settings) -> bool:
    """Say whether a run's pairs go to the GPU work pool: a language model is asked from here."""
    return settings.entail_on == "gpu" and settings.entailment != "none" and not is_asked_by_address(settings)


def pool_reader(stage: str, settings: Settings) -> str:
    """Return which reader the pool is asked for by a stage.

    Of the cascade only the language model for what is read beyond `entail`, as on this machine: the facts of a claim
    are about the claim, and the encoder has nothing to settle.
    """
    return LANGUAGE_MODEL if stage != "entail" and settings.entailment == CASCADE else settings.entailment


def is_asked_by_address(settings: Settings) -> bool:
    """Say whether a language model behind an address is the reader."""
    return address_of(settings.entailment) is not None


def storage_elsewhere(run: RunRef) -> Endpoint | None:
    """Return the place that a run's pairs are sent to, None where they stay among the files of this machine."""
    if not reads_on_the_pool(run.settings):
        return None
    storage = storage_of(run.home)
    return None if storage.is_here else Endpoint(storage.url, "shards", known_as=storage.url)
