"""Readers on the Hugging Face hub: larger than the embedded encoder, where a hub or a copy of the model is at hand.

None of them is carried by a mirror, so none can be pulled; `--reader hf:<id>` loads one that is on this machine, or
that the hub serves, after it has passed on known answers.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HubReader:
    """A classifier of pairs.

    `revision` is the commit that is meant. `labels` stand in the order of its outputs.
    """

    repository: str
    revision: str
    licence: str
    kind: str
    labels: tuple[str, ...]
    parameters: int
    about: str

    @property
    def spec(self) -> str:
        """Return what `--reader` is given."""
        return f"hf:{self.repository}"


HUB_READERS = (
    HubReader(
        repository="MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli",
        revision="b3546ea6b0346eb6f8d5d68b13c7dc6d0376b3d7",
        licence="MIT",
        kind="deberta-v2",
        labels=("entailment", "neutral", "contradiction"),
        parameters=435_000_000,
        about="trained on MNLI, FEVER, ANLI, LingNLI and WANLI",
    ),
    HubReader(
        repository="cross-encoder/nli-deberta-v3-large",
        revision="bab4bc7178836f731dcfd18c06ca9def0a137712",
        licence="Apache-2.0",
        kind="deberta-v2",
        labels=("contradiction", "entailment", "neutral"),
        parameters=435_000_000,
        about="trained on SNLI and MNLI",
    ),
)


def is_here(reader: HubReader) -> bool:
    """Return whether a reader lies in this machine's copy of the hub; nobody is asked."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(reader.repository, "config.json")
    return isinstance(found, str) and any(
        path for pattern in ("*.safetensors", "*.bin") for path in Path(found).parent.glob(pattern)
    )


def another_revision(spec: str, weights: str) -> str | None:
    """Return a line where the commit that was loaded for a spec is not the one that the registry means.

    Args:
        spec: what was asked for, as `hf:<id>`.
        weights: what the loaded model's fingerprint says of its weights; of a hub model `commit:<hash>`.
    """
    commit = weights.removeprefix("commit:")
    for reader in HUB_READERS:
        if spec == reader.spec and commit not in (weights, reader.revision):
            return (
                f"{reader.repository} was loaded at the commit {commit}; {reader.revision} is the one that is listed:"
                " figures may differ"
            )
    return None
