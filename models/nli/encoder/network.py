"""The embedded entailment network: a frozen encoder, adapters on its upper layers, and a head over five views.

The head sees the first token, the mean over the premise, the mean over the hypothesis, their difference and
their product: what an embedder's geometry already knows of relatedness is there from the first step.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from medassay.models.nli.encoder.encoder import Encoder, EncoderShape
from medassay.models.nli.labels import LABELS

ADAPTED = ("qkv", "out", "up", "down")


class Adapted(nn.Module):
    """A frozen linear map plus a trained low-rank one (Hu et al. 2021, LoRA, arXiv:2106.09685, section 4.1)."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps; the adapter computes in the dtype of what comes in."""
        low = F.linear(F.linear(x, self.down.to(x.dtype)), self.up.to(x.dtype))
        return self.base(x) + low  # type: ignore[no-any-return]  # nn.Module returns Any

    def merged(self) -> nn.Linear:
        """Return the one linear map equal to both."""
        with torch.device("meta"):
            whole = nn.Linear(self.base.in_features, self.base.out_features)
        # Put in their place: to empty a meta tensor torch imports its symbolic shapes, for a second.
        with torch.no_grad():
            weight = self.base.weight.float() + self.up.float() @ self.down.float()
            whole.weight = nn.Parameter(weight, requires_grad=False)
            whole.bias = nn.Parameter(self.base.bias.float().clone(), requires_grad=False)
        return whole


class Head(nn.Module):
    """Five views of the pair to three logits, in the order of `LABELS`; computes in float32."""

    def __init__(self, width: int, hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(5 * width)
        self.inner = nn.Linear(5 * width, hidden)
        self.drop = nn.Dropout(dropout)
        self.last = nn.Linear(hidden, len(LABELS))

    def forward(self, states: Tensor, in_premise: Tensor, in_hypothesis: Tensor) -> Tensor:
        """Map (n, tokens, width) states and two (n, tokens) masks to (n, 3) logits."""
        states = states.float()
        premise, hypothesis = _mean(states, in_premise), _mean(states, in_hypothesis)
        views = torch.cat(
            [states[:, 0], premise, hypothesis, (premise - hypothesis).abs(), premise * hypothesis], dim=1
        )
        return self.last(self.drop(F.gelu(self.inner(self.norm(views)))))  # type: ignore[no-any-return]


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask.float() / mask.float().sum(1, keepdim=True).clamp(min=1)
    return torch.einsum("ntw,nt->nw", states, weights)


class EntailmentNetwork(nn.Module):
    """Pairs as ids → logits in the order of `LABELS`."""

    def __init__(self, encoder: Encoder, head_width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = Head(encoder.shape.width, head_width)

    @property
    def shape(self) -> EncoderShape:
        """The encoder's shape."""
        return self.encoder.shape

    def forward(self, ids: Tensor, mask: Tensor, in_premise: Tensor, in_hypothesis: Tensor) -> Tensor:
        """Score (n, tokens) ids: (n, 3) float32 logits."""
        types = in_hypothesis.long() if self.encoder.shape.kind == "bert" else None
        return self.head(self.encoder(ids, mask, types), in_premise, in_hypothesis)  # type: ignore[no-any-return]  # nn.Module returns Any


def add_adapters(encoder: Encoder, rank: int, first_layer: int) -> None:
    """Put a trainable adapter beside every linear map from `first_layer` upwards."""
    for layer in list(encoder.layers)[first_layer:]:
        for name in ADAPTED:
            setattr(layer, name, Adapted(getattr(layer, name), rank))


def merge_adapters(encoder: Encoder) -> None:
    """Fold every adapter into its linear map, so that scoring costs nothing extra."""
    for layer in encoder.layers:
        for name in ADAPTED:
            linear = getattr(layer, name)
            if isinstance(linear, Adapted):
                setattr(layer, name, linear.merged())


def trained_state(network: EntailmentNetwork) -> dict[str, Tensor]:
    """Everything that was trained, and nothing of the base."""
    return {name: p.detach() for name, p in network.named_parameters() if p.requires_grad}
