"""Which reader a run uses: what `--reader` names, and the best one that is on this machine where it says `auto`."""

import os

from medassay.models.processor import has_gpu, multiplies_bfloat16

ENCODER, LANGUAGE_MODEL, CASCADE = "embedded", "llm", "cascade"
_NAMES = {"encoder": ENCODER}
READS_LETTERS = (LANGUAGE_MODEL, CASCADE)
"""The readers whose verdicts decide about nuggets by themselves; see `medassay.models.nuggets.by_reader`."""


def named_reader(spec: str) -> str:
    """Return the reader that a spec means, as it is stored with a run.

    `auto` is `MEDASSAY_READER` where it is set, else the cascade where its models are here and this machine multiplies
    bfloat16, else the encoder: in single precision the language model is too slow to be a default.
    """
    spec = spec.strip()
    if spec == "auto":
        spec = os.environ.get("MEDASSAY_READER", "").strip() or _best_here()
    return _NAMES.get(spec, spec)


def weaker_than_could_be(reader: str) -> str | None:
    """Return a line for a run that the encoder reads on a machine that is slow with the language model."""
    if reader != ENCODER or os.environ.get("MEDASSAY_READER") or multiplies_bfloat16() or has_gpu():
        return None
    return (
        "texts are read by the encoder, which takes a third of plain contradictions for agreement; --reader cascade"
        " reads better, and takes seconds a pair on this processor, which multiplies no bfloat16"
    )


def _best_here() -> str:
    from medassay.models.entailment.loading import EMBEDDED_BASE
    from medassay.models.readers.merging import reader_is_here
    from medassay.models.registry import listing

    encoder_is_here = any(row.pulled for row in listing() if row.name == EMBEDDED_BASE)
    return (
        CASCADE if encoder_is_here and reader_is_here() and (multiplies_bfloat16() or has_gpu()) else ENCODER
    )
