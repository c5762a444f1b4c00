"""What a trained folder replies, many prompts at a time in this process; the same messages as over HTTP."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import Ledger
from medassay.models.chat.reply import Complaint
from medassay.models.judge_training.bases import load
from medassay.models.judge_training.fitting import Messages, input_of, messages_of, tokens_of
from medassay.models.judge_training.folders import built, folder_digest, read_json, write_json
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge, Ranking
from medassay.models.judges.listwise.reply import ListwiseReply, read_listwise
from medassay.models.keys import content_key

MOST_NEW_TOKENS = 256
RANKINGS_FILE = "rankings.json"
TOO_LONG = "the prompt is longer than the model's context (it holds {context:,} tokens)"


class Speaker:
    """A model's folder, loaded once, that continues prompts with its most probable tokens."""

    def __init__(self, folder: Path, base: Path | None = None, batch: int = 48) -> None:
        import torch
        from transformers import AutoTokenizer

        self.batch = batch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        model = load(folder, base)
        self.context: int = model.config.max_position_embeddings
        self.model: Any = model.to(self.device).eval()

    def replies(
        self, prompts: Sequence[Messages], on_done: Callable[[int], None] = lambda _: None
    ) -> list[str | None]:
        """Return the reply to each prompt, in order; None to one that leaves no room for a reply in the context.

        Those of like length are computed together.
        """
        import torch

        tokens = [tokens_of(prompt, self.tokenizer) for prompt in prompts]
        found: list[str | None] = [None] * len(tokens)
        pad = self.tokenizer.pad_token_id
        pad = self.tokenizer.eos_token_id if pad is None else pad
        rooms = [min(MOST_NEW_TOKENS, self.context - len(prompt)) for prompt in tokens]
        fitting = [number for number, room in enumerate(rooms) if room > 0]
        on_done(len(tokens) - len(fitting))
        for some in self._batches(sorted(fitting, key=lambda number: len(tokens[number])), rooms):
            longest = max(len(tokens[n]) for n in some)
            ids = torch.tensor(
                [[pad] * (longest - len(tokens[n])) + tokens[n] for n in some], device=self.device
            )
            mask = torch.tensor(
                [[0] * (longest - len(tokens[n])) + [1] * len(tokens[n]) for n in some], device=self.device
            )
            with torch.inference_mode():
                said = self.model.generate(
                    input_ids=ids,
                    attention_mask=mask,
                    max_new_tokens=rooms[some[0]],
                    do_sample=False,
                    pad_token_id=pad,
                    eos_token_id=self.tokenizer.eos_token_id,
                )
            for number, row in zip(some, said[:, longest:].tolist(), strict=True):
                found[number] = str(self.tokenizer.decode(row, skip_special_tokens=True)).strip()
            on_done(len(some))
        return found

    def _batches(self, order: Sequence[int], rooms: Sequence[int]) -> Iterator[list[int]]:
        """Give the prompts in batches; those of one have as much room for a reply."""
        for _, alike in groupby(order, rooms.__getitem__):
            numbers = list(alike)
            for start in range(0, len(numbers), self.batch):
                yield numbers[start : start + self.batch]


def evaluations_of(speaker: Speaker, cases: Sequence[EvaluationCase]) -> list[str]:
    """Return what the model says of each case, the doctors in the case's own order; nothing of one that is too long."""
    return [reply or "" for reply in speaker.replies([messages_of(case) for case in cases])]


def points_in(reply: str, n_doctors: int) -> tuple[int, ...] | None:
    """Return the points of a reply, None where it cannot be read."""
    try:
        return read_listwise(reply, n_doctors).points
    except Complaint:
        return None


@dataclass(frozen=True, slots=True)
class SpokenJudge(ListwiseJudge):
    """The listwise judge, answered by a model in this process: the same requests and readings, no repair of replies."""

    speaker: Speaker = field(kw_only=True)

    def compare(
        self,
        inputs: Sequence[ListwiseInput],
        ledger: Ledger | None = None,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[Any], None] | None = None,
    ) -> list[Ranking]:
        """Compare in every balanced order; nothing is sent, so that ledger and cap are passed over."""
        return self.compare_by(partial(self._spoken, on_done=on_done), inputs, sample_no)

    def _spoken(
        self, requests: list[Request[ListwiseReply]], on_done: Callable[[Any], None] | None
    ) -> list[Outcome[ListwiseReply]]:
        prompts = [[{"role": m.role, "content": m.content} for m in request.messages] for request in requests]

        def done(count: int) -> None:
            for _ in range(count if on_done else 0):
                on_done(None)  # type: ignore[misc]

        return [
            self._outcome(request, reply)
            for request, reply in zip(requests, self.speaker.replies(prompts, done), strict=True)
        ]

    def _outcome(self, request: Request[ListwiseReply], reply: str | None) -> Outcome[ListwiseReply]:
        if reply is None:
            reason = TOO_LONG.format(context=self.speaker.context)
            return Outcome(request.item_key, "abstained", None, reason)
        try:
            return Outcome(request.item_key, "answered", request.read(reply), None)
        except Complaint as complaint:
            return Outcome(request.item_key, "abstained", None, str(complaint))


def judge_of(speaker: Speaker, endpoint: Endpoint | None = None) -> SpokenJudge:
    """Return the listwise judge that a loaded model is."""
    return SpokenJudge(endpoint or Endpoint("", "trained"), speaker=speaker)


def judged(
    stage: Path, base: Path, cases: Sequence[EvaluationCase], on_done: Callable[[int], None] = lambda _: None
) -> list[Ranking]:
    """Return how a stage's model ranks the cases, in every balanced order."""
    model = stage / "model"
    inputs = [input_of(case) for case in cases]
    key = content_key({"model": folder_digest(model), "inputs": [one.input_key for one in inputs]})
    kept = stage / RANKINGS_FILE
    if kept.is_file() and (read := read_json(kept))["key"] == key:
        return built(list[Ranking], read["rankings"])
    judge = judge_of(Speaker(model, base))
    found = judge.compare(inputs, on_done=lambda _: on_done(1))
    write_json(kept, {"key": key, "rankings": [asdict(ranking) for ranking in found]})
    return found
