"""Several small cue readers as one: their mean says less by chance than any of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from medassay.models.entailment.network import CueReader, EntailmentNetwork
from medassay.models.entailment.training.loop import learn_cues

if TYPE_CHECKING:
    from medassay.models.entailment.training.loop import Example


def fit_readers(examples: "Sequence[Example]", n: int, hidden: int, epochs: int, seed: int) -> CueReader:
    """Fit `n` readers of `hidden` units from different seeds, stopped early, and return their mean as one reader."""
    readers = []
    for i in range(n):
        torch.manual_seed(seed + i)
        reader = CueReader(hidden)
        learn_cues(reader, examples, epochs, seed + i)
        readers.append(reader.eval())
    return mean_of(readers)


def mean_of(readers: Sequence[CueReader]) -> CueReader:
    """Put readers of the same standardised cues side by side in one whose logits are the mean of theirs."""
    whole = CueReader(sum(reader.inner.out_features for reader in readers))
    with torch.no_grad():
        whole.mean.copy_(readers[0].mean)
        whole.spread.copy_(readers[0].spread)
        whole.inner.weight.copy_(torch.cat([reader.inner.weight for reader in readers]))
        whole.inner.bias.copy_(torch.cat([reader.inner.bias for reader in readers]))
        whole.last.weight.copy_(torch.cat([reader.last.weight for reader in readers], dim=1) / len(readers))
        whole.last.bias.copy_(torch.stack([reader.last.bias for reader in readers]).mean(0))
    return whole.eval()


def weigh(network: EntailmentNetwork, head: float, cues: float) -> None:
    """Scale what the head and what the cue reader add to the logits."""
    with torch.no_grad():
        for last, factor in ((network.head.last, head), (network.cues.last, cues)):
            last.weight.mul_(factor)
            last.bias.mul_(factor)
