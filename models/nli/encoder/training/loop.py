"""The training loop: adapters and head above a frozen encoder, targets as probabilities, averaged weights."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from medassay.models.nli.encoder.batching import collate, moved
from medassay.models.nli.encoder.inputs import packed
from medassay.models.nli.encoder.network import EntailmentNetwork, trained_state
from medassay.models.nli.encoder.tokenisation import Encoded
from medassay.models.nli.encoder.training.pairs import Shares
from medassay.models.nli.window_verdicts import batches

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Example:
    """An encoded pair, the probabilities it should have (None: not entailed), its weight and its set's name."""

    encoded: Encoded
    shares: Shares | None
    weight: float
    source: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to learn; the rate rises over `warm_steps` and falls linearly to the end.

    `dropout` is that of the adapted layers; `smoothing` is taken from each target and spread over the labels;
    `average` is the decay of the running mean of the weights, which is what is kept. `device` is torch's name.
    """

    epochs: float
    minutes: float
    rate: float = 3e-4
    head_rate: float = 6e-4
    warm_steps: int = 60
    tokens_a_batch: int = 3000
    pairs_a_batch: int = 40
    device: str = "cpu"
    smoothing: float = 0.06
    average: float = 0.995
    dropout: float = 0.1
    seed: int = 17


class Trainer:
    """One network, its optimiser and the running mean of its weights."""

    def __init__(self, network: EntailmentNetwork, first_layer: int, schedule: Schedule, say: Say) -> None:
        self.network, self.schedule, self.say = network.to(schedule.device), schedule, say
        adapters = [p for n, p in network.named_parameters() if p.requires_grad and n.startswith("encoder.")]
        parts = (adapters, schedule.rate, 0.01), (list(network.head.parameters()), schedule.head_rate, 0.05)
        self.optimiser = torch.optim.AdamW(
            [{"params": p, "lr": rate, "top": rate, "weight_decay": decay} for p, rate, decay in parts]
        )
        network.encoder.drop_out(schedule.dropout, first_layer)
        self.averaged = {name: p.clone() for name, p in trained_state(network).items()}

    def train(self, examples: Sequence[Example]) -> None:
        """Learn until the epochs or the minutes are used up; the network then has the averaged weights.

        Raises:
            FloatingPointError: when a loss is not finite.
        """
        started = time.monotonic()
        total = max(1.0, len(self._batches(examples, 0)) * self.schedule.epochs)
        tally: dict[str, list[bool]] = defaultdict(list)
        step, epoch, progress = 0, 0, 0.0
        while progress < 1.0:
            epoch += 1
            for batch in self._batches(examples, epoch):
                self._step([examples[i] for i in batch], step, progress, tally)
                step += 1
                minutes = (time.monotonic() - started) / 60
                progress = max(step / total, minutes / self.schedule.minutes)
                if step % 60 == 0:
                    hits = [f"{name} {np.mean(rows):.2f}" for name, rows in sorted(tally.items())]
                    self.say(f"step {step}  {progress:.0%}  {minutes:.1f} min  right: {'  '.join(hits)}")
                    tally.clear()
                if progress >= 1.0:
                    break
        with torch.no_grad():
            for name, value in trained_state(self.network).items():
                value.copy_(self.averaged[name])

    def _batches(self, examples: Sequence[Example], epoch: int) -> list[list[int]]:
        """Make the batches of an epoch: pairs of like length, another company and order every time."""
        chance = random.Random(self.schedule.seed * 1000 + epoch)
        lengths = [len(example.encoded.ids) for example in examples]
        made: list[list[int]] = [[]]
        for i in sorted(range(len(examples)), key=lambda i: lengths[i] * chance.uniform(0.9, 1.1)):
            longest = max(lengths[i], *(lengths[j] for j in made[-1])) if made[-1] else lengths[i]
            n = len(made[-1]) + 1
            if made[-1] and (longest * n > self.schedule.tokens_a_batch or n > self.schedule.pairs_a_batch):
                made.append([])
            made[-1].append(i)
        chance.shuffle(made)
        return made

    def _step(self, chosen: list[Example], step: int, progress: float, tally: dict[str, list[bool]]) -> None:
        self.network.train()
        warm = min(1.0, (step + 1) / self.schedule.warm_steps)
        for group in self.optimiser.param_groups:
            group["lr"] = group["top"] * warm * max(0.02, 1.0 - progress)
        logits = logits_of(self.network, [e.encoded for e in chosen])
        weights = torch.tensor([e.weight for e in chosen], device=logits.device)
        losses = losses_of(logits, [e.shares for e in chosen], self.schedule.smoothing)
        loss = (losses * weights).sum() / weights.sum()
        if not torch.isfinite(loss):
            raise FloatingPointError(f"the loss of step {step} is {loss.item()}; lower the rate")
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no annotation here
        torch.nn.utils.clip_grad_norm_([p for p in self.network.parameters() if p.requires_grad], 1.0)
        self.optimiser.step()
        decay = min(self.schedule.average, (step + 1) / (step + 10))
        values = trained_state(self.network)
        torch._foreach_lerp_([self.averaged[name] for name in values], list(values.values()), 1 - decay)
        for example, said in zip(chosen, logits.argmax(1).tolist(), strict=True):
            shares = example.shares
            right = said != 0 if shares is None else said == max(range(3), key=shares.__getitem__)
            tally[example.source].append(right)


def losses_of(logits: Tensor, targets: Sequence[Shares | None], smoothing: float) -> Tensor:
    """Cross-entropy of (n, 3) logits with each pair's probabilities; of a pair that is "not entailed", -log(1 - P)."""
    logs = F.log_softmax(logits, dim=1)
    known = torch.tensor([shares or (0.0, 0.0, 0.0) for shares in targets], device=logits.device)
    soft = -((known * (1 - smoothing) + smoothing / 3) * logs).sum(1)
    refused = -torch.log1p(-logs[:, 0].exp().clamp(max=1 - 1e-4))
    unknown = torch.tensor([shares is None for shares in targets], device=logits.device)
    return torch.where(unknown, refused, soft)


def logits_of(network: EntailmentNetwork, encoded: Sequence[Encoded]) -> Tensor:
    """Run the network where its weights lie: (n, 3) logits."""
    device = network.head.last.weight.device
    return network(*moved(collate(packed(encoded), network.shape.pad_id), device))  # type: ignore[no-any-return]


def predict(network: EntailmentNetwork, encoded: Sequence[Encoded]) -> np.ndarray:
    """Score pairs with the network as it is: (n, 3) logits."""
    out = np.zeros((len(encoded), 3), dtype=np.float32)
    network.eval()
    with torch.no_grad():
        for batch in batches(encoded, 4000):
            out[batch] = logits_of(network, [encoded[i] for i in batch]).float().cpu().numpy()
    return out
