"""The embedded model: a base from the registry, and the adapters and head that this project trained for it."""

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.nli.encoder.inputs import Batch
from medassay.models.nli.encoder.scoring import Scorer
from medassay.models.nli.encoder.tokenisation import Reader, findings_digest
from medassay.models.nli.encoder.worker_pool import pace_of, worker_pool_for
from medassay.models.nli.labels import STAGE_VERSION, EntailmentUnavailable
from medassay.models.nli.settings import Calibration, WindowSettings
from medassay.models.nli.window_verdicts import Forward
from medassay.models.processor import device_here, fast_dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from medassay.models.nli.encoder.network import EntailmentNetwork

WEIGHTS = "adapter.safetensors"
CONFIG = "config.json"


BASE = "all-mpnet-base-v2"
"""The registry's model that the trained part belongs to."""


def weights_folder() -> Path:
    """Where the trained part of the embedded model lies."""
    return Path(str(files("medassay.models.nli.encoder"))) / "weights"


def encoder_is_here(cache: Path | None = None) -> bool:
    """Return whether the base is on this machine."""
    from medassay.models.weights import listing

    return any(row.pulled for row in listing(cache) if row.name == BASE)


def load_embedded(base: Path, trained: Path | None = None, *, dtype: Any = None) -> Scorer:
    """Build the embedded model from a base's folder and a folder with adapter and config.

    `dtype` is a torch dtype for the encoder; None is the fastest that this machine multiplies in.

    Raises:
        EntailmentUnavailable: when the adapter is not the one its config describes.
    """
    import torch
    from safetensors.torch import load_file

    from medassay.models.nli.encoder.encoder import load_encoder, pack_linear_maps
    from medassay.models.nli.encoder.network import EntailmentNetwork, add_adapters, merge_adapters

    trained = trained or weights_folder()
    config = json.loads((trained / CONFIG).read_text("utf-8"))
    _check_digest(trained / WEIGHTS, config["sha256"])
    state = load_file(trained / WEIGHTS)
    rarity = state.pop("rarity").float().tolist()
    made = config["network"]
    encoder = load_encoder(base, made["layers"])
    add_adapters(encoder, made["rank"], made["first_layer"])
    network = EntailmentNetwork(encoder, made["head_width"])
    missing, unexpected = network.load_state_dict({n: v.float() for n, v in state.items()}, strict=False)
    if unexpected or any(name.startswith("head.") for name in missing):
        raise EntailmentUnavailable(
            f"{trained / WEIGHTS}: does not fit its config.json; restore both from the checkout"
        )
    merge_adapters(network.encoder)
    device = torch.device(device_here())
    dtype = dtype or getattr(torch, fast_dtype(device.type))
    network.encoder.to(device=device, dtype=dtype)
    pack_linear_maps(network.encoder)
    network.head.to(device)
    calibration = Calibration(config["calibration"]["temperature"], tuple(config["calibration"]["shift"]))
    reading = WindowSettings(**config["reading"])
    fingerprint = {
        "model": "embedded",
        "name": config["name"],
        "base": config["base"],
        "base_sha256": config["base_sha256"],
        "weights_sha256": config["sha256"],
        "dtype": str(dtype).removeprefix("torch."),
        "calibration": config["calibration"],
        "reading": reading.named(),
        "findings_sha256": findings_digest(),
        "stage_version": STAGE_VERSION,
    }
    pace = pace_of(device.type)
    forward = network_forward(network.eval(), calibration, device)
    return Scorer(
        Reader.from_folder(base),
        forward,
        reading,
        rarity,
        fingerprint,
        pace=pace,
        worker_pool=worker_pool_for(device.type, pace),
    )


def network_forward(network: "EntailmentNetwork", calibration: Calibration, device: Any) -> Forward:
    """Wrap a network as inputs → calibrated (n, 3) probabilities."""
    import torch

    from medassay.models.nli.encoder.batching import between, collate, moved, read_back
    from medassay.models.nli.encoder.unpadded import Unpadded, can_run_unpadded, laid_out, padded

    shift = torch.tensor(calibration.shift)
    end_to_end = (
        Unpadded(network.encoder)
        if can_run_unpadded(device, next(network.encoder.parameters()).dtype)
        else None
    )

    def logits_of(batch: Batch) -> torch.Tensor:
        inputs = moved(collate(batch, network.shape.pad_id), device)
        return read_back(lambda: network(*inputs).float(), device)

    def unpadded_logits(batch: Batch) -> torch.Tensor:
        assert end_to_end is not None
        ids, places, types, starts, longest = laid_out(batch, device)
        rest = (batch.premise, batch.hypothesis)
        premise, hypothesis = moved([torch.from_numpy(part) for part in rest], device)

        def work() -> torch.Tensor:
            states = padded(end_to_end(ids, places, types, starts, longest), places, starts, longest)
            spots = torch.arange(longest, device=device)
            return network.head(states, between(spots, premise), between(spots, hypothesis)).float()  # type: ignore[no-any-return]  # nn.Module returns Any

        return read_back(work, device)

    read = unpadded_logits if end_to_end else logits_of

    def forward(batch: Batch) -> "NDArray[np.float32]":
        with torch.inference_mode():
            return torch.softmax((read(batch) + shift) / calibration.temperature, dim=1).numpy()

    return forward


def _check_digest(path: Path, expected: str) -> None:
    import hashlib

    if not path.exists():
        raise EntailmentUnavailable(
            f"{path} is missing; restore it from the checkout or run `medassay train entailment`"
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        raise EntailmentUnavailable(
            f"{path}: sha256 {found[:12]}… is not the {expected[:12]}… of its config.json; restore both"
        )
