"""A pointwise judge of MEDIQA's manual relevance scores, trained and examined by cross-validation over questions.

    python -m benchmarks.mediqa_judge DATA OUT [--base BASE] [--folds 5] [--minutes 3] [--epochs 4] [--tables-only]

Of a question and one answer the judge gives the probabilities of the next tokens " A" (excellent) to " D" (incorrect);
its score is their mean on the scale 4 to 1. The loss is cross entropy, plus a logistic loss of each two answers of one
question that people score differently. The upper half of the base's layers gets LoRA; what the lower half makes of the
texts is computed once for all folds. An answer is scored by the adapter of its fold, trained on the other folds alone.

Writes OUT/scores.json (after each fold), OUT/table.json and OUT/table.md; `--tables-only` makes these from the scores.
"""

import argparse
import json
import math
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from benchmarks.mediqa_judge_table import POINTS, Answer, answers_at, folds_of, in_words, table_of
from medassay.models.atomic_files import written_whole
from medassay.models.nli.language_model.merging import BASE, TOKENIZER, merge
from medassay.models.nli.language_model.training.loop import Encoded, TrainingFailed, batches, padded
from medassay.models.nli.language_model.training.lora import Adapted
from medassay.models.processor import device_here, fast_dtype
from medassay.models.statistics.resampling import Floats
from medassay.models.weights import ensure

LETTERS = (" A", " B", " C", " D")
QUESTION, ANSWER = "Question: ", "\nAnswer given: "
ASK = "\nDoes the answer meet the question? A excellent, B correct but incomplete, C related, D incorrect.\nAnswer:"
PROMPT = QUESTION + "{question}" + ANSWER + "{answer}" + ASK
TOKENS_AT_ONCE = {"cpu": 2_048, "cuda": 32_768}


@dataclass(frozen=True, slots=True)
class Settings:
    """How the judge is trained; `minutes` are of training alone, shared equally by the folds."""

    folds: int = 5
    minutes: float = 3.0
    epochs: int = 4
    rank: int = 16
    rate: float = 3e-4
    question_tokens: int = 160
    answer_tokens: int = 320
    questions_a_step: int = 2
    pair_weight: float = 1.0
    seed: int = 0


def run(rows: Sequence[Answer], base: Path, out: Path, settings: Settings) -> None:
    """Train and examine fold by fold; write `scores.json` after each."""
    began, device, expanded = time.monotonic(), device_here(), out / "expanded"
    shutil.rmtree(expanded, ignore_errors=True)
    try:
        merge(base, None, expanded, LETTERS)
        config = json.loads((expanded / "config.json").read_text("utf-8"))
        tokenizer = Tokenizer.from_file(str(expanded / TOKENIZER))
        first = config["num_hidden_layers"] // 2
        choices = {"rank": settings.rank, "seed": settings.seed, "dtype": getattr(torch, fast_dtype(device))}
        model = Adapted(expanded, config, device=device, first=first, **choices)
    finally:
        shutil.rmtree(expanded, ignore_errors=True)
    texts = [Encoded(_prompt(row, tokenizer, settings), row["score"]) for row in rows]
    folds = np.array(folds_of(rows, settings.folds, settings.seed))
    below, untrained = _read_base(model, texts, first, device)
    # Only the upper layers are needed from here on: they are given what the lower ones made.
    model.base.layers = model.base.layers[first:]
    model.base.config.num_hidden_layers -= first
    fresh = {name: value.clone() for name, value in model.state().items()}
    trained, courses = np.full_like(untrained, np.nan), []
    told: dict[str, Any] = {
        "settings": {**asdict(settings), "first_layer": first, "prompt": PROMPT},
        "device": torch.cuda.get_device_name() if device == "cuda" else device, "torch": torch.__version__,
    }  # fmt: skip
    for fold in range(settings.folds):
        model.take(fresh)
        held, others = (np.flatnonzero(part).tolist() for part in (folds == fold, folds != fold))
        courses.append({"fold": fold, **_train(model, below, rows, others, settings, fold)})
        with torch.no_grad():
            for batch in _batches(texts, held, device):
                trained[batch] = torch.softmax(_logits(model, below, batch), -1).cpu().numpy()
        print(courses[-1], flush=True)
        answers = [
            {
                **{name: row[name] for name in ("question_id", "system", "score")},
                "fold": int(folds[i]), "base": untrained[i].round(5).tolist(),
                "trained": None if np.isnan(trained[i]).any() else trained[i].round(5).tolist(),
            }
            for i, row in enumerate(rows)
        ]  # fmt: skip
        told["seconds"] = round(time.monotonic() - began, 1)
        with written_whole(out / "scores.json") as file:
            json.dump({**told, "courses": courses, "answers": answers}, file)


def _prompt(row: Answer, tokenizer: Any, settings: Settings) -> list[int]:
    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    words = row["answer"].split()
    answer = encode(" ".join(words))
    cut = f" [...] ({len(words)} words in all)" if len(answer) > settings.answer_tokens else ""
    question = encode(QUESTION + " ".join(row["question"].split()))[: settings.question_tokens]
    return question + encode(ANSWER) + answer[: settings.answer_tokens] + encode(cut + ASK)


def _batches(texts: Sequence[Encoded], chosen: Sequence[int], device: str) -> Iterator[list[int]]:
    return batches(texts, sorted(chosen, key=lambda i: len(texts[i].ids)), TOKENS_AT_ONCE[device])


def _read_base(
    model: Adapted, texts: Sequence[Encoded], first: int, device: str
) -> tuple[list[Tensor], Floats]:
    """Return of each text what goes into layer `first`, (tokens, width), and the untrained base's probabilities."""
    below, shares = dict[int, Tensor](), np.zeros((len(texts), len(LETTERS)))
    with torch.no_grad():
        for batch in _batches(texts, range(len(texts)), device):
            ids, last = padded(texts, batch, device)
            read = model.base(input_ids=ids, attention_mask=None, output_hidden_states=True)
            hidden = read.hidden_states[first]
            below |= {i: hidden[row, : len(texts[i].ids)].clone() for row, i in enumerate(batch)}
            shares[batch] = torch.softmax(_of_letters(model, read.last_hidden_state, last), -1).cpu().numpy()
    return [below[i] for i in range(len(texts))], shares


def _of_letters(model: Adapted, hidden: Tensor, last: Tensor) -> Tensor:
    """Return logits in 32 bits: in 16 they would tie."""
    ends = hidden[torch.arange(len(hidden), device=hidden.device), last].float()
    return ends @ model.letters.float().T  # type: ignore[operator]


def _logits(model: Adapted, below: Sequence[Tensor], batch: Sequence[int]) -> Tensor:
    """Return logits (n, 4); right padding needs no mask where attention is causal."""
    x = nn.utils.rnn.pad_sequence([below[i] for i in batch], batch_first=True)
    last = torch.tensor([len(below[i]) - 1 for i in batch], device=x.device)
    return _of_letters(model, model.base(inputs_embeds=x, attention_mask=None).last_hidden_state, last)


def _train(
    model: Adapted, below: Sequence[Tensor], rows: Sequence[Answer], chosen: Sequence[int],
    settings: Settings, fold: int,
) -> dict[str, Any]:  # fmt: skip
    """Train on the chosen answers until epochs or time are over; the learning rate falls to 0 by then."""
    by_question: dict[str, list[int]] = {}
    for i in chosen:
        by_question.setdefault(rows[i]["question_id"], []).append(i)
    groups, n = list(by_question.values()), settings.questions_a_step
    rng = np.random.default_rng([settings.seed, fold])
    orders = [rng.permutation(len(groups)) for _ in range(settings.epochs)]
    planned = [order[at : at + n] for order in orders for at in range(0, len(order), n)]
    optimiser = torch.optim.AdamW(model.trained(), lr=settings.rate, weight_decay=0.01, betas=(0.9, 0.98))
    began, seconds, losses = time.monotonic(), settings.minutes * 60 / settings.folds, list[float]()
    for step, drawn in enumerate(planned):
        done = max(step / len(planned), (time.monotonic() - began) / max(seconds, 1e-9))
        if done >= 1:
            break
        optimiser.param_groups[0]["lr"] = settings.rate * min(1.0, (step + 1) / 10) * (1 - done)
        batch = sorted((i for place in drawn for i in groups[place]), key=lambda i: len(below[i]))
        # Texts of like length together, so that little is padding; the loss is over all of them.
        parts = [batch[at : at + 6] for at in range(0, len(batch), 6)]
        logits = torch.cat([_logits(model, below, part) for part in parts])
        loss = _loss(logits, [rows[i] for i in batch], settings.pair_weight)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.trained(), 1.0)
        optimiser.step()
        losses.append(round(loss.item(), 4))
        if not math.isfinite(losses[-1]):
            raise TrainingFailed(f"the loss of step {step + 1} of fold {fold} is {losses[-1]}")
    epochs, spent = len(losses) / len(planned) * settings.epochs, time.monotonic() - began
    return {"epochs": round(epochs, 2), "n_steps": len(losses), "seconds": round(spent, 1), "losses": losses}


def _loss(logits: Tensor, rows: Sequence[Answer], pair_weight: float) -> Tensor:
    gold = torch.tensor([row["score"] for row in rows], device=logits.device)
    loss = nn.functional.cross_entropy(logits, 4 - gold)
    score = torch.softmax(logits, -1) @ torch.tensor(POINTS, dtype=logits.dtype, device=logits.device)
    ids = [row["question_id"] for row in rows]
    of = torch.tensor([ids.index(one) for one in ids], device=logits.device)
    better = (of[:, None] == of[None, :]) & (gold[:, None] > gold[None, :])
    apart = (score[:, None] - score[None, :])[better]
    return loss + pair_weight * nn.functional.softplus(-2.0 * apart).sum() / max(1, len(apart))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="benchmarks.mediqa_judge")
    parser.add_argument("data", type=Path, help="answers_dev.jsonl.gz of MEDIQA, or its folder")
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, help="a Qwen2 as GGUF file or folder [the embedded model]")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=3.0, help="of training, for all folds together")
    parser.add_argument("--epochs", type=int, default=4, help="at most")
    parser.add_argument("--tables-only", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.folds < 2:
        parser.error("--folds: at least 2, so that there are other questions to train on")
    rows = answers_at(asked.data)
    asked.out.mkdir(parents=True, exist_ok=True)
    if not asked.tables_only:
        run(rows, asked.base or ensure(BASE), asked.out, Settings(asked.folds, asked.minutes, asked.epochs))
    table = table_of(json.loads((asked.out / "scores.json").read_text("utf-8")), rows)
    for name, text in (("table.json", json.dumps(table, indent=1)), ("table.md", in_words(table))):
        with written_whole(asked.out / name) as file:
            file.write(text)
    print(in_words(table))


if __name__ == "__main__":
    main()
