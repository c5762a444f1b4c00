"""What a trained folder replies, many prompts at a time in this process; the same messages as over HTTP."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from models.chat.endpoint import Endpoint
from models.chat.reply import Complaint
from models.judge_training.fitting import Messages, messages_of, tokens_of
from models.judge_training.records import EvaluationCase
from models.judges.listwise.judge import ListwiseInput, ListwiseJudge, Ranking, balanced_orders
from models.judges.listwise.reply import read_listwise

MOST_NEW_TOKENS = 320


class Speaker:
    """A model's folder, loaded once, that continues prompts with its most probable tokens."""

    def __init__(self, folder: Path, base: Path | None = None, batch: int = 48) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

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


def rankings_of(
    speaker: Speaker, inputs: Sequence[ListwiseInput], on_done: Callable[[int], None] = lambda _: None
) -> list[Ranking]:
    """Have each input compared in every balanced order, as the listwise judge does."""
    judge = ListwiseJudge(Endpoint("", "trained"))
    asked = [(one, number, order) for one in inputs for number, order in enumerate(balanced_orders(one))]
    prompts = [
        [{"role": m.role, "content": m.content} for m in judge.request(one, order).messages]
        for one, _, order in asked
    ]
    replies = speaker.replies(prompts, on_done)
    return [
        _ranking(one, number, order, reply)
        for (one, number, order), reply in zip(asked, replies, strict=True)
    ]


def _ranking(one: ListwiseInput, number: int, order: tuple[str, ...], reply: str) -> Ranking:
    try:
        read = read_listwise(reply, len(order))
    except Complaint as complaint:
        return Ranking(one.question_id, number, order, None, None, None, "abstained", str(complaint), None)
    return Ranking(
        one.question_id, number, order, read.points, read.rationale, read.is_strict, "scored", None, None
    )
