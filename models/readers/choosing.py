"""Which reader a run uses: what `--reader` names, and the best one that is on this machine where it says `auto`."""

import os

ENCODER, LANGUAGE_MODEL, CASCADE = "embedded", "llm", "cascade"
_NAMES = {"encoder": ENCODER}
READS_LETTERS = (LANGUAGE_MODEL, CASCADE)
"""The readers whose verdicts decide about nuggets by themselves; see `medassay.models.nuggets.by_reader`."""


def named_reader(spec: str) -> str:
    """Return the reader that a spec means, as it is stored with a run.

    `auto` is `MEDASSAY_READER` where it is set, else the cascade where its models are here, else the encoder.
    """
    spec = spec.strip()
    if spec == "auto":
        spec = os.environ.get("MEDASSAY_READER", "").strip() or _best_here()
    return _NAMES.get(spec, spec)


def _best_here() -> str:
    from medassay.models.entailment.loading import EMBEDDED_BASE
    from medassay.models.readers.merging import reader_is_here
    from medassay.models.registry import listing

    encoder_is_here = any(row.pulled for row in listing() if row.name == EMBEDDED_BASE)
    return CASCADE if encoder_is_here and reader_is_here() else ENCODER
