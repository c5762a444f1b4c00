"""What a trained folder replies, many prompts at a time in this process; the same messages as over HTTP."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import Ledger
from medassay.models.chat.reply import Complaint
from medassay.models.judge_training.bases import without_bars
from medassay.models.judge_training.fitting import Messages, messages_of, tokens_of
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge, Ranking
from medassay.models.judges.listwise.reply import ListwiseReply, read_listwise

MOST_NEW_TOKENS = 256


class Speaker:
    """A model's folder, loaded once, that continues prompts with its most probable tokens."""

    def __init__(self, folder: Path, base: Path | None = None, batch: int = 48) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        without_bars()
        self.batch = batch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        is_adapter = (folder / "adapter_config.json").is_file()
        model = AutoModelForCausalLM.from_pretrained(base if is_adapter else folder, dtype=torch.float32)
        if is_adapter:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, folder)
        self.model: Any = model.to(self.device).eval()

    def replies(
        self, prompts: Sequence[Messages], on_done: Callable[[int], None] = lambda _: None
    ) -> list[str]:
        """Return the reply to each prompt, in order; those of like length are computed together."""
        import torch

        tokens = [tokens_of(prompt, self.tokenizer) for prompt in prompts]
        found = [""] * len(tokens)
        pad = self.tokenizer.pad_token_id
        pad = self.tokenizer.eos_token_id if pad is None else pad
        order = sorted(range(len(tokens)), key=lambda number: len(tokens[number]))
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
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
                    max_new_tokens=MOST_NEW_TOKENS,
                    do_sample=False,
                    pad_token_id=pad,
                    eos_token_id=self.tokenizer.eos_token_id,
                )
            for number, row in zip(some, said[:, longest:].tolist(), strict=True):
                found[number] = str(self.tokenizer.decode(row, skip_special_tokens=True)).strip()
            on_done(len(some))
        return found


def evaluations_of(
    speaker: Speaker, cases: Sequence[EvaluationCase], notes: Sequence[str] | None = None
) -> list[str]:
    """Return what the model says of each case, the doctors in the case's own order."""
    given = notes or [""] * len(cases)
    return speaker.replies([messages_of(case, notes=note) for case, note in zip(cases, given, strict=True)])


def points_in(reply: str, n_doctors: int) -> tuple[int, ...] | None:
    """Return the points of a reply, None where it cannot be read."""
    try:
        return read_listwise(reply, n_doctors).points
    except Complaint:
        return None


@dataclass(frozen=True, slots=True)
class SpokenJudge(ListwiseJudge):
    """The listwise judge, answered by a model in this process: the same requests and readings, no repair of replies."""

    speaker: Speaker | None = None

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
        assert self.speaker is not None
        prompts = [[{"role": m.role, "content": m.content} for m in request.messages] for request in requests]

        def done(count: int) -> None:
            for _ in range(count if on_done else 0):
                on_done(None)  # type: ignore[misc]

        return [
            _outcome(request, reply)
            for request, reply in zip(requests, self.speaker.replies(prompts, done), strict=True)
        ]


def judge_of(speaker: Speaker, endpoint: Endpoint | None = None) -> SpokenJudge:
    """Return the listwise judge that a loaded model is."""
    return SpokenJudge(endpoint or Endpoint("", "trained"), speaker=speaker)


def _outcome(request: Request[ListwiseReply], reply: str) -> Outcome[ListwiseReply]:
    try:
        return Outcome(request.item_key, "answered", request.read(reply), None)
    except Complaint as complaint:
        return Outcome(request.item_key, "abstained", None, str(complaint))
