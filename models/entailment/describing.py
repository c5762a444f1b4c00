"""What a spec asks for, said without loading it: so that a run with nothing to do loads nothing."""

import json
from pathlib import Path
from typing import Any

from models.entailment.embedded import CONFIG, fast_dtype, weights_folder
from models.entailment.protocol import STAGE_VERSION, EntailmentUnavailable


def describe_entailment(spec: str) -> dict[str, Any]:
    """Name everything that a verdict under this spec depends on.

    Args:
        spec: `embedded`, or `hf:` and a hub id or folder; of a hub id the weights are those that are here.

    Raises:
        EntailmentUnavailable: for a spec that names no entailment model.
    """
    if spec == "embedded":
        config = json.loads((weights_folder() / CONFIG).read_text("utf-8"))
        return {
            "model": config["name"],
            "base_sha256": config["base_sha256"],
            "weights_sha256": config["sha256"],
            "dtype": str(fast_dtype("cpu")).removeprefix("torch."),
            "calibration": config["calibration"],
            "reading": config["reading"],
            "stage_version": STAGE_VERSION,
        }
    if not spec.startswith("hf:") or not spec[3:]:
        raise EntailmentUnavailable(
            f"{spec!r} names no entailment model: use `embedded`, `none` or `hf:<hub id or folder>`"
        )
    from models.entailment.checkpoints import weights_digest

    name = spec[3:]
    return {"model": name, "weights": weights_digest(name, _config_of(name)), "stage_version": STAGE_VERSION}


def _config_of(name: str) -> Any:
    """Read the config of a hub model that is on this machine; None where it is not, or for a folder."""
    if Path(name).is_dir():
        return None
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError):
        return None
