"""The training loop: frozen lower layers computed once and remembered, adapters and head above them."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from medassay.models.entailment.batching import collate
from medassay.models.entailment.inputs import packed
from medassay.models.entailment.judging import batches
from medassay.models.entailment.network import CueReader, EntailmentNetwork, trained_state
from medassay.models.entailment.reading import Encoded

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Example:
    """An encoded pair, its label, the weight of its class in its set, and the set's name."""

    encoded: Encoded
    label: int
    weight: float
    source: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to learn; the rate rises over `warm_steps` and falls linearly to the end.

    `without_cues` is the share of examples whose cues are hidden, so that the network learns to do without them;
    `dropout` is that of the adapted layers.
    """

    epochs: float
    minutes: float
    rate: float = 3e-4
    head_rate: float = 6e-4
    warm_steps: int = 60
    tokens_a_batch: int = 2600
    smoothing: float = 0.08
    average: float = 0.98
    without_cues: float = 0.5
    dropout: float = 0.1
    seed: int = 17


class Trainer:
    """One network, its optimiser, its memory of the frozen layers' outputs and its averaged weights."""

    def __init__(self, network: EntailmentNetwork, first_layer: int, schedule: Schedule, say: Say) -> None:
        self.network, self.first_layer, self.schedule, self.say = network, first_layer, schedule, say
        self.remembered: dict[int, Tensor] = {}
        shared = torch.distributed.is_available() and torch.distributed.is_initialized()
        self.worker = torch.distributed.get_rank() if shared else 0
        self.workers = torch.distributed.get_world_size() if shared else 1
        adapters = [p for n, p in network.named_parameters() if p.requires_grad and n.startswith("encoder.")]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": adapters, "lr": schedule.rate, "top": schedule.rate, "weight_decay": 0.01},
                {
                    "params": [*network.head.parameters(), *network.cues.parameters()],
                    "lr": schedule.head_rate,
                    "top": schedule.head_rate,
                    "weight_decay": 0.05,
                },
            ]
        )
        network.encoder.drop_out(schedule.dropout, first_layer)
        self.averaged = {name: p.clone() for name, p in trained_state(network).items()}

    def train(
        self,
        examples: Sequence[Example],
        every: Callable[["Trainer", float], None] | None = None,
        renewed: Callable[[Example, int, int], Example] | None = None,
    ) -> None:
        """Learn until the epochs or the minutes are used up.

        Args:
            examples: what to learn from.
            every: called after each batch with the progress.
            renewed: reads an example, given its place and the epoch, in another way; None for the same in every epoch.
                What the frozen layers make of it is then not remembered.
        """
        started = time.monotonic()
        total = max(1.0, len(self._share_of_epoch(examples, 0)) * self.schedule.epochs)
        tally: dict[str, list[float]] = defaultdict(list)
        step, epoch, progress = 0, 0, 0.0
        while progress < 1.0:
            epoch += 1
            for batch in self._share_of_epoch(examples, epoch):
                chosen = [renewed(examples[i], i, epoch) if renewed else examples[i] for i in batch]
                keys = [-1] * len(batch) if renewed else batch
                self._step(chosen, keys, step, progress, tally)
                step += 1
                minutes = (time.monotonic() - started) / 60
                progress = self._agree(max(step / total, minutes / self.schedule.minutes))
                if progress >= 1.0:
                    break
                if step % 40 == 0:
                    self._report(step, progress, minutes, tally)
                if every:
                    every(self, progress)
        self.use_averaged()

    def _share_of_epoch(self, examples: Sequence[Example], epoch: int) -> list[list[int]]:
        """Make the batches of an epoch for one worker: pairs of like length, another company and order every time."""
        chance = random.Random(self.schedule.seed * 1000 + epoch)
        order = sorted(
            range(len(examples)), key=lambda i: len(examples[i].encoded.ids) * chance.uniform(0.9, 1.1)
        )
        whole: list[list[int]] = [[]]
        for i in order:
            longest = max(len(examples[j].encoded.ids) for j in [*whole[-1], i])
            if whole[-1] and longest * (len(whole[-1]) + 1) > self.schedule.tokens_a_batch:
                whole.append([])
            whole[-1].append(i)
        chance.shuffle(whole)
        # Workers meet after every batch, so each needs as many.
        n_each = len(whole) // self.workers
        return whole[self.worker :: self.workers][:n_each] if n_each else [whole[self.worker % len(whole)]]

    def logits(self, encoded: Sequence[Encoded], keys: Sequence[int], without_cues: float = 0.0) -> Tensor:
        """Score a batch; what the frozen layers make of each pair is remembered under its key (negative: not)."""
        ids, mask, premise, hypothesis, cues = collate(packed(encoded), self.network.shape.pad_id)
        with torch.no_grad():
            if all(key in self.remembered for key in keys):
                states = torch.zeros(*ids.shape, self.network.shape.width, dtype=torch.bfloat16)
                for row, key in enumerate(keys):
                    known = self.remembered[key]
                    states[row, : len(known)] = known
            else:
                types = hypothesis.long() if self.network.shape.kind == "bert" else None
                encoder = self.network.encoder
                states = encoder.climb(encoder.embed(ids, types), mask, 0, self.first_layer)
                for row, key in enumerate(keys):
                    if key >= 0:
                        self.remembered[key] = states[row, : len(encoded[row].ids)].clone()
        states = self.network.encoder.climb(states, mask, self.first_layer)
        heard = (torch.rand(len(cues), 1) >= without_cues).float()
        return self.network.head(states, premise, hypothesis) + heard * self.network.cues(cues)  # type: ignore[no-any-return]

    def _step(
        self,
        chosen: list[Example],
        keys: Sequence[int],
        step: int,
        progress: float,
        tally: dict[str, list[float]],
    ) -> None:
        self.network.train()
        warm = min(1.0, (step + 1) / self.schedule.warm_steps)
        for group in self.optimiser.param_groups:
            group["lr"] = group["top"] * warm * max(0.02, 1.0 - progress)
        logits = self.logits([e.encoded for e in chosen], keys, self.schedule.without_cues)
        labels = torch.tensor([e.label for e in chosen])
        losses = F.cross_entropy(logits, labels, reduction="none", label_smoothing=self.schedule.smoothing)
        weights = torch.tensor([e.weight for e in chosen])
        loss = (losses * weights).sum() / weights.sum()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no annotation here
        self._share_gradients()
        torch.nn.utils.clip_grad_norm_([p for p in self.network.parameters() if p.requires_grad], 1.0)
        self.optimiser.step()
        decay = min(self.schedule.average, (step + 1) / (step + 10))
        for name, value in trained_state(self.network).items():
            self.averaged[name].lerp_(value, 1 - decay)
        right = (logits.argmax(1) == labels).float().tolist()
        for example, hit in zip(chosen, right, strict=True):
            tally[example.source].append(hit)

    def _share_gradients(self) -> None:
        """Average the gradients over the workers; they are small, since only adapters and head are trained."""
        if self.workers == 1:
            return
        gradients = [p.grad for p in self.network.parameters() if p.requires_grad and p.grad is not None]
        flat = torch.cat([g.reshape(-1) for g in gradients])
        torch.distributed.all_reduce(flat)
        for gradient, part in zip(gradients, torch.split(flat, [g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient) / self.workers)

    def _agree(self, progress: float) -> float:
        """The furthest progress of any worker, so that all stop at the same step."""
        if self.workers == 1:
            return progress
        furthest = torch.tensor([progress])
        torch.distributed.all_reduce(furthest, op=torch.distributed.ReduceOp.MAX)
        return float(furthest)

    def _report(self, step: int, progress: float, minutes: float, tally: dict[str, list[float]]) -> None:
        parts = [f"{source} {np.mean(hits):.3f} ({len(hits)})" for source, hits in sorted(tally.items())]
        self.say(f"step {step}  {progress:.0%}  {minutes:.1f} min  accuracy: {'  '.join(parts)}")
        tally.clear()

    def use_averaged(self) -> dict[str, Tensor]:
        """Put the averaged weights into the network; returns the live ones, to put back if need be."""
        live = {name: p.clone() for name, p in trained_state(self.network).items()}
        self.restore(self.averaged)
        return live

    def begin_at(self, state: Mapping[str, Tensor], kept: float = 1.0) -> None:
        """Start from known weights; the average starts there too.

        `kept` is the share of what adapters and head add that is kept: weights that know their pairs by heart go on
        learning from there, while those that have forgotten half of it learn anew
        (Ash and Adams 2020, arXiv:1910.08475).
        """
        self.restore(
            {n: v * kept if n.startswith("head.last") or n.endswith(".up") else v for n, v in state.items()}
        )
        self.averaged = {name: p.clone() for name, p in trained_state(self.network).items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Copy trained weights into the network."""
        with torch.no_grad():
            for name, p in trained_state(self.network).items():
                if name in state:
                    p.copy_(state[name])


def predict(trainer: Trainer, encoded: Sequence[Encoded], first_key: int = -1) -> np.ndarray:
    """Score many pairs with the network as it is: (n, 3) logits; remembered under keys from `first_key`, if not -1."""
    out = np.zeros((len(encoded), 3), dtype=np.float32)
    trainer.network.eval()
    with torch.no_grad():
        for batch in batches(encoded, 4000):
            keys = [-1 if first_key < 0 else first_key + i for i in batch]
            out[batch] = trainer.logits([encoded[i] for i in batch], keys).numpy()
    return out


def learn_cues(reader: CueReader, examples: Sequence[Example], epochs: int = 30, seed: int = 17) -> None:
    """Fit a cue reader alone."""
    cues = torch.tensor([e.encoded.cues for e in examples], dtype=torch.float32)
    labels = torch.tensor([e.label for e in examples])
    weights = torch.tensor([e.weight for e in examples])
    reader.mean, reader.spread = cues.mean(0), cues.std(0).clamp(min=0.05)
    order = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=3e-3, weight_decay=0.02)
    reader.train()
    for epoch in range(epochs):
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * (1 - epoch / epochs)
        for some in torch.split(torch.randperm(len(labels), generator=order), 128):
            losses = F.cross_entropy(reader(cues[some]), labels[some], reduction="none")
            optimiser.zero_grad()
            (losses * weights[some]).mean().backward()  # type: ignore[no-untyped-call]  # torch has no annotation here
            optimiser.step()
