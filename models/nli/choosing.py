"""Select a run's reader from `--reader`, or the best available for `auto`."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from medassay.models.specs import LOGPROBS, parse_spec

if TYPE_CHECKING:
    from medassay.models.chat.endpoint import Endpoint

ENCODER, LANGUAGE_MODEL, CASCADE = "embedded", "llm", "cascade"
_NAMES = {"encoder": ENCODER}
READS_LETTERS = (LANGUAGE_MODEL, CASCADE)
"""The readers of this machine that read letters; see `reads_letters`."""
CONTINUED = "/completions"

SECONDS_A_PAIR = {"bfloat16": 0.4, "int8": 0.9, "float32": 1.3}
"""What the language model takes for a pair of the examples on two cores, by its arithmetic."""


LEFT_OUT = {
    ENCODER: "22 of 30 true paraphrases covered, 30 of 30 turned around seen, κ with physicians .550",
    LANGUAGE_MODEL: "30 of 30 true paraphrases covered, 28 of 30 turned around seen, κ with physicians .506",
}
"""What the packaged weights do on `inversions_dev` and K-QA `dev2`, which they never saw (docs/reader.md).

The cascade has no line: the share of its readers was chosen with these figures in view.
"""


def named_reader(spec: str) -> str:
    """Return the reader that a spec means, as it is stored with a run.

    `auto` is `MEDASSAY_READER` where it is set, else the cascade where its models are here, else the encoder.
    """
    spec = spec.strip()
    if spec == "auto":
        spec = os.environ.get("MEDASSAY_READER", "").strip() or (CASCADE if _cascade_is_here() else ENCODER)
    return _NAMES.get(spec, spec)


def nothing_reads(reader: str, *, elsewhere: bool) -> bool:
    """Return whether nobody reads under this choice: none was asked for, or the encoder's base is not on this machine.

    `elsewhere`: the workers of the GPU pool read.
    """
    from medassay.models.nli.encoder.embedded import encoder_is_here

    return reader == "none" or (reader == ENCODER and not elsewhere and not encoder_is_here())


def reads_letters(reader: str) -> bool:
    """Return whether a reader gives the probabilities of the three letters."""
    return reader in READS_LETTERS or reader.startswith(LOGPROBS)


def address_of(reader: str) -> "Endpoint | None":
    """Return whom a reader asks, None for one that reads here.

    Raises:
        SpecError: for an address that cannot be read.
    """
    from medassay.models.chat.endpoint import endpoint_of

    spec = parse_spec(named_reader(reader))
    if spec.kind != "remote":
        return None
    asked = endpoint_of(spec, "entailment")
    if not spec.reads_letters:
        return asked
    return replace(asked, base_url=asked.base_url.removesuffix(CONTINUED).removesuffix("/chat"))


def is_continued(reader: str) -> bool:
    """Tell whether a served reader gets the prompt as it stands: its address ends in `/completions`, but no chat's."""
    address = reader.partition("#")[0].rstrip("/")
    return address.endswith(CONTINUED) and not address.endswith(f"/chat{CONTINUED}")


def weaker_than_could_be(reader: str) -> str | None:
    """Return a line for a run that is read by less than what could be fetched to this machine."""
    from medassay.models.nli.encoder.embedded import encoder_is_here

    if reader != ENCODER or os.environ.get("MEDASSAY_READER") or _cascade_is_here():
        return None
    if not encoder_is_here():
        return (
            "nothing that reads is on this machine, so nuggets are matched by the cosine rule and citations stay"
            " unverified: `medassay models pull` fetches the readers"
        )
    return (
        "texts are read by the encoder, which misses a quarter of true paraphrases: `medassay models pull` fetches the"
        " language model that reads better"
    )


def long_reading(reader: str, n_pairs: int, *, on_gpu: bool) -> str | None:
    """Return a line for a run whose pairs the language model reads for over two minutes here."""
    if reader not in READS_LETTERS or on_gpu:
        return None
    from medassay.models.processor import arithmetic_on

    minutes = n_pairs * SECONDS_A_PAIR[arithmetic_on("cpu")] / 60
    if minutes < 2:
        return None
    return (
        f"the language model reads up to {n_pairs:,} pairs, about {minutes:,.0f} minutes on two cores; a run that is"
        " stopped goes on where it was. --reader encoder is several times as fast and misses a quarter of"
        " true paraphrases"
    )


def _cascade_is_here() -> bool:
    from medassay.models.nli.encoder.embedded import encoder_is_here
    from medassay.models.nli.language_model.merging import reader_is_here

    return reader_is_here() and encoder_is_here()
