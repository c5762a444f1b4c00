"""What a spec asks for, said without loading it: so that a run with nothing to do loads nothing."""

import json
from pathlib import Path
from typing import Any

from medassay.models.entailment.embedded import CONFIG, weights_folder
from medassay.models.entailment.findings import findings_digest
from medassay.models.entailment.protocol import STAGE_VERSION, EntailmentUnavailable
from medassay.models.entailment.settings import Reading
from medassay.models.processor import device_here, fast_dtype

_SENTENCES = "by the ends of their tokens"
"""How a passage's tokens are told apart into sentences, which was another way before."""
_PREMISE_TOKENS = 308
"""What a checkpoint with the usual window of 512 reads of a passage beside the longest claim."""
_CHARACTERS_A_TOKEN = 3.8
"""Nineteen in twenty sentences of medical English have more."""


def describe_entailment(spec: str, *, on_gpu: bool = False) -> dict[str, Any]:
    """Name everything that a verdict under this spec depends on.

    Args:
        spec: `embedded`, `llm`, `cascade`, `hf:` and a hub id or folder (of a hub id the weights are those that are
            here), or `<base_url>#<model>`.
        on_gpu: whether the GPU work pool reads, in the dtype of GPUs, whatever this machine has.

    Raises:
        EntailmentUnavailable: for a spec that names no entailment model.
    """
    if spec == "embedded":
        config = json.loads((weights_folder() / CONFIG).read_text("utf-8"))
        return {
            "model": config["name"],
            "base_sha256": config["base_sha256"],
            "weights_sha256": config["sha256"],
            "dtype": fast_dtype("cuda" if on_gpu else device_here()),
            "calibration": config["calibration"],
            "reading": config["reading"],
            "findings_sha256": findings_digest(),
            "stage_version": STAGE_VERSION,
        }
    if spec in ("llm", "cascade"):
        from medassay.models.readers.cascade import describe_cascade
        from medassay.models.readers.language_model import describe_reader

        reader = describe_reader(on_gpu=on_gpu)
        return (
            reader
            if spec == "llm"
            else describe_cascade(describe_entailment("embedded", on_gpu=on_gpu), reader)
        )
    if spec.startswith(("http://", "https://")):
        from medassay.models.entailment.chat import describe_checker

        return describe_checker(spec)
    if not spec.startswith("hf:") or not spec[3:]:
        raise EntailmentUnavailable(
            f"{spec!r} names no reader: use `encoder`, `llm`, `cascade`, `none`, `hf:<hub id or folder>` or "
            "`<base_url>#<model>`"
        )
    from medassay.models.entailment.checkpoints import files_digest, weights_digest

    name = spec[3:]
    return {
        "model": name,
        "weights": weights_digest(name, _config_of(name)),
        "read_as": files_digest(name),
        "dtype": "bfloat16" if on_gpu else "float32",
        "reading": {"caution": Reading(1, 1).caution, "sentences": _SENTENCES},
        "findings_sha256": findings_digest(),
        "stage_version": STAGE_VERSION,
    }


def room_of(described: dict[str, Any]) -> int:
    """Characters of a premise that the model which is so described reads at once, next to surely."""
    reading = described.get("reading", {})
    if "premise_characters" in reading:
        return int(reading["premise_characters"])
    tokens = reading.get("premise_tokens")
    if tokens is None:
        from medassay.models.entailment.checkpoints import reading_here

        here = reading_here(str(described["model"]))
        tokens = here.premise_tokens if here else _PREMISE_TOKENS
    return int(tokens * _CHARACTERS_A_TOKEN)


def _config_of(name: str) -> Any:
    """Read the config of a hub model that is on this machine; None where it is not, or for a folder."""
    if Path(name).is_dir():
        return None
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError):
        return None
