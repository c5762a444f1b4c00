"""Save a trained model: half-precision weights and config."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.nli.encoder.embedded import CONFIG, WEIGHTS
from medassay.models.nli.settings import Calibration, WindowSettings

if TYPE_CHECKING:
    from torch import Tensor


def write_model(
    out: Path,
    state: "Mapping[str, Tensor]",
    rarity: Sequence[float],
    *,
    base: Path,
    base_name: str,
    network: Mapping[str, int],
    reading: WindowSettings,
    calibration: Calibration,
    record: Mapping[str, Any],
) -> dict[str, Any]:
    """Write `adapter.safetensors` and `config.json` into `out`; returns the config."""
    import torch
    from safetensors.torch import save_file

    out.mkdir(parents=True, exist_ok=True)
    halves = {name: value.detach().cpu().half().contiguous() for name, value in state.items()}
    halves["rarity"] = torch.tensor(rarity).half()
    save_file(halves, out / WEIGHTS)
    config = {
        "name": "medassay-entailment",
        "base": base_name,
        "base_sha256": _digest(base / "model.safetensors"),
        "sha256": _digest(out / WEIGHTS),
        "labels": ["entailment", "neutral", "contradiction"],
        "network": dict(network),
        "reading": reading.named(),
        "calibration": {"temperature": calibration.temperature, "shift": list(calibration.shift)},
        "record": dict(record),
    }
    (out / CONFIG).write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    return config


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
