"""Where pairs lie for the GPU work pool."""

import os
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.entailment.storage import Storage
from medassay.models.readers.choosing import address_of
from medassay.models.settings import Settings
from medassay.tasks.run import RunRef


def storage_of(home: Path | str) -> Storage:
    """Return where shards travel: `MEDASSAY_SHARDS` (a folder or any fsspec URL), else `shards` in the home."""
    return Storage(os.environ.get("MEDASSAY_SHARDS") or str(Path(home).absolute() / "shards"))


def reads_on_the_pool(settings: Settings) -> bool:
    """Say whether a run's pairs go to the GPU work pool: a language model is asked from here."""
    return settings.entail_on == "gpu" and settings.entailment != "none" and not is_asked_by_address(settings)


def is_asked_by_address(settings: Settings) -> bool:
    """Say whether a language model behind an address is the reader."""
    return address_of(settings.entailment) is not None


def storage_elsewhere(run: RunRef) -> Endpoint | None:
    """Return the place that a run's pairs are sent to, None where they stay among the files of this machine."""
    if not reads_on_the_pool(run.settings):
        return None
    storage = storage_of(run.home)
    return None if storage.is_here else Endpoint(storage.url, "shards", known_as=storage.url)
