"""Unpadded encoder inference on a GPU, for the embedded model and checkpoints.

On an H100 with nine layers of MPNet at 256 tokens, transformers' own layers reach a sixth of the matrix rate and padded
batches with torch's fused attention half of it.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from medassay.models.nli.encoder.encoder import Encoder, Layer, encoder_of, shape_of
from medassay.models.nli.encoder.inputs import Batch, packed
from medassay.models.nli.encoder.tokenisation import Reader
from medassay.models.nli.labels import LabelOrder
from medassay.models.nli.window_verdicts import Forward

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS = ("bert", "mpnet", "roberta")
_LEAST_PART, _FEWEST_ROWS = 16, 16

_AS_FAR_AS_ROUNDING = 0.03
_KNOWN = (
    ("Aspirin lowered the risk of stroke in 1,200 adults. No bleeding was seen.", "aspirin lowered the risk"),
    ("Blood was stored at night.", "sleep improved in all of the groups that were followed for a year"),
)


def can_run_unpadded(device: torch.device, dtype: torch.dtype) -> bool:
    """Tell whether the kernels can be used: an NVIDIA GPU, half precision, and Triton, which comes with torch there."""
    return (
        device.type == "cuda"
        and torch.version.hip is None
        and dtype in (torch.bfloat16, torch.float16)
        and find_spec("triton") is not None
    )


class Unpadded(nn.Module):
    """An encoder's layers over texts that lie end to end."""

    table: Tensor | None

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.reach = encoder.shape.positions - encoder.shape.first_position
        self.register_buffer("table", encoder.near(self.reach), persistent=False)

    def forward(
        self, ids: Tensor, places: Tensor, types: Tensor | None, starts: Tensor, longest: int
    ) -> Tensor:
        """Encode (tokens,) ids, with their places in their texts, which begin at `starts`: (tokens, width)."""
        from medassay.models.nli.encoder.kernels import add_norm, attend

        encoder = self.encoder
        states = encoder.words(ids) + encoder.places(places + encoder.shape.first_position)
        if encoder.types is not None:
            states = states + encoder.types(torch.zeros_like(ids) if types is None else types)
        states = encoder.norm(states)
        for layer in encoder.layers:
            assert isinstance(layer, Layer)
            mixed = attend(layer.qkv(states), starts, longest, encoder.shape.heads, self.table)
            states = add_norm(states, layer.out(mixed), layer.norm)
            # The product and its gelu in one: torch's own name for it is private, the operation cuBLAS's.
            up = torch._addmm_activation(layer.up.bias, states, layer.up.weight.t(), use_gelu=True)
            states = add_norm(states, layer.down(up), layer.last_norm)
        return states  # type: ignore[no-any-return]


def laid_out(batch: Batch, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor, int]:
    """Move a batch to a GPU, from pinned memory: ids, places, types, starts, and the longest text's length."""
    lengths = torch.from_numpy(batch.lengths)
    starts = torch.from_numpy(batch.starts)
    places = torch.arange(len(batch.ids)) - torch.repeat_interleave(starts[:-1], lengths)
    parts = torch.stack([torch.from_numpy(batch.ids), places, torch.from_numpy(batch.types)])
    ids, places, types = parts.pin_memory().to(device, non_blocking=True)
    return ids, places, types, starts.pin_memory().to(device, non_blocking=True), int(lengths.max())


def padded(states: Tensor, places: Tensor, starts: Tensor, longest: int) -> Tensor:
    """Lay texts under each other: (tokens, width) → (n, longest, width), zeros behind each."""
    n, width = len(starts) - 1, states.shape[1]
    text = torch.bucketize(torch.arange(len(states), device=states.device), starts[1:], right=True)
    out = states.new_zeros(n * longest, width)
    out[text * longest + places] = states
    return out.view(n, longest, width)


def classifier_encoder(network: Any) -> Unpadded | None:
    """Read the encoder of one of transformers' classifiers, on its device, in its dtype; None if unlike ours."""
    config = network.config.to_dict()
    if (
        config.get("model_type") not in KINDS
        or config.get("hidden_act") != "gelu"
        or config.get("position_embedding_type", "absolute") != "absolute"
        or config.get("is_decoder")
        or not _fits(config["hidden_size"] // config["num_attention_heads"])
    ):
        return None
    inner = f"{network.base_model_prefix}."
    raw = {n.removeprefix(inner): value for n, value in network.state_dict().items() if n.startswith(inner)}
    weight = next(iter(raw.values()))
    encoder = encoder_of(shape_of(config), raw).to(weight.device, next(network.parameters()).dtype)
    return Unpadded(encoder).eval()


def _fits(part: int) -> bool:
    return part >= _LEAST_PART and part & (part - 1) == 0


def first_token_logits(network: Any, states: Tensor) -> Tensor:
    """Put a classifier's own head on the states of each text's first token, (n, width): (n, labels)."""
    alone = states[:, None]
    pooler = getattr(network.base_model, "pooler", None)
    if network.config.model_type == "bert" and pooler is not None:
        return network.classifier(pooler(alone))  # type: ignore[no-any-return]
    return network.classifier(alone)  # type: ignore[no-any-return]


def unpadded_forward(network: Any, order: LabelOrder, takes_types: bool, device: Any) -> Forward | None:
    """Wrap a classifier whose layers run without padding as inputs → (n, 3) probabilities; None where they cannot."""
    from medassay.models.nli.encoder.batching import read_back

    if not can_run_unpadded(device, next(network.parameters()).dtype):
        return None
    encoder = classifier_encoder(network)
    if encoder is None:
        return None

    def forward(batch: Batch) -> "NDArray[np.float32]":
        ids, places, types, starts, longest = laid_out(batch, device)

        def work() -> torch.Tensor:
            states = encoder(ids, places, types if takes_types else None, starts, longest)
            return first_token_logits(network, states[starts[:-1]]).float()

        with torch.inference_mode():
            logits = read_back(work, device)
        return order.fold(torch.softmax(logits, dim=1).numpy())

    return forward


def agrees(quick: Forward, plain: Forward, reader: Reader) -> bool:
    """Return whether two ways through a network give the same probabilities, but for rounding in half precision."""
    batch = packed([reader.pair(reader.ids(premise), reader.ids(claim)) for premise, claim in _KNOWN])
    return bool(abs(quick(batch) - plain(batch)).max() < _AS_FAR_AS_ROUNDING)
