"""Train an adapter from labelled sets and a base model."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from medassay.models.atomic_files import written_whole
from medassay.models.keys import content_key
from medassay.models.nli.language_model.adapter import (
    file_digest,
    read_adapter,
    write_adapter,
    write_gguf_adapter,
)
from medassay.models.nli.language_model.bases import base_digest
from medassay.models.nli.language_model.merging import TOKENIZER, merge
from medassay.models.nli.language_model.prompt import (
    PASSAGE_TOKENS,
    QUESTION,
    STATEMENT_TOKENS,
    describe_prompt,
    passage_ids,
    statement_ids,
    window,
)
from medassay.models.nli.language_model.training.card import figures, in_words
from medassay.models.nli.language_model.training.loop import Course, Encoded, TrainingSettings, predict, train
from medassay.models.nli.language_model.training.lora import SCALE, Adapted
from medassay.models.nli.language_model.training.sets import LabelledSet, Pair, ReadSet, drawn, read_set
from medassay.models.usage import UsageError

Say = Callable[[str], None]
EXPANDED, CHECKPOINT = "expanded", "checkpoint.pt"
LEFT_OUT = "left-out"
CARD, CARD_IN_WORDS = "card.json", "card.md"
ADAPTERS = {"adapter.safetensors": write_adapter, "adapter.gguf": write_gguf_adapter}
"""In 8 bits, as the packaged one; in 16 bits, as llama.cpp serves it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train on, and how.

    Attributes:
        sets: The recipe.
        leave_out: Names of sets that are measured and not trained on.
        without_unlicensed: Whether sets that state no licence are left away.
        rank: Rank of the adapter.
        dtype: Of the base and of what is computed; None is bfloat16 where the hardware multiplies in it.
        measured_at_most: Rows of a left-out set that are measured.
        start_from: Adapter whose factors are trained on; None begins anew. Its rank has to be `rank`.
        pace: The training's own settings.
    """

    sets: tuple[LabelledSet, ...]
    leave_out: tuple[str, ...] = ()
    without_unlicensed: bool = False
    rank: int = 16
    dtype: str | None = None
    measured_at_most: int = 2_000
    pace: TrainingSettings = field(default_factory=TrainingSettings)
    start_from: Path | None = None

    def why_not(self, named: LabelledSet) -> str | None:
        """Return why a set is not trained on; None where it is."""
        if named.name in self.leave_out:
            return "left out"
        return "states no licence" if self.without_unlicensed and named.licence is None else None

    def refuse_unknown(self) -> None:
        """Refuse names of sets that are not in the recipe, and a plan that leaves nothing to train on."""
        names = [one.name for one in self.sets]
        if unknown := [name for name in self.leave_out if name not in names]:
            raise UsageError(f"--leave-out {unknown[0]}: the recipe's sets are {', '.join(names)}")
        if all(self.why_not(one) for one in self.sets):
            raise UsageError("every set is left away: there is nothing to train on")


def train_reader(base: Path, data: Path, out: Path, plan: Plan, say: Say = lambda _: None) -> dict[str, Any]:
    """Train an adapter and write it with its card into `out`; a training that was stopped goes on there.

    Args:
        base: a GGUF file, or a folder of transformers.
        data: where the sets' files lie.
        out: folder to write.
        plan: what to train on, and how.
        say: hears of the progress.

    Returns:
        the card.

    Raises:
        UsageError: when a set, the base or what is in `out` does not fit.
        TrainingFailed: when a loss is no number.
    """
    plan.refuse_unknown()
    known = read_adapter(plan.start_from) if plan.start_from else None
    out.mkdir(parents=True, exist_ok=True)
    say("sets and base are read")
    sets = [read_set(named, data, plan.pace.seed) for named in plan.sets]
    sha256 = base_digest(base)
    key = _key(plan, sets, sha256)
    if (out / CARD).is_file():
        done = json.loads((out / CARD).read_text("utf-8"))
        if done.get("key") != key:
            raise UsageError(
                f"{out} holds an adapter of other data or settings: name another folder with --out, or remove it"
            )
        say(f"{out} holds this training already")
        return dict(done)
    device, dtype = _arithmetic(plan)
    try:
        config = _expanded(base, out / EXPANDED)
        encode = _encoder(out / EXPANDED)
        taught = [one for one in sets if not plan.why_not(one.named)]
        rows = [_encoded(pair, encode) for one in taught for pair in one.pairs * one.named.times]
        say(f"{len(rows):,} pairs, {sum(len(row.ids) for row in rows):,} tokens, on {device} in {dtype}")
        model = Adapted(
            out / EXPANDED, config, rank=plan.rank, seed=plan.pace.seed, dtype=_torch(dtype), device=device
        )
        if known is not None:
            _go_on(model, known, plan)
        course = train(model, rows, plan.pace, device, out / CHECKPOINT, key, say)
        left_out = {}
        for one in sets:
            if one.named.name in plan.leave_out:
                say(f"{one.named.name}, which was left out, is measured")
                pairs = drawn(one.pairs, plan.measured_at_most, f"measured {one.named.name}", plan.pace.seed)
                shares = predict(
                    model, [_encoded(p, encode) for p in pairs], plan.pace.tokens_at_once, device
                )
                found = figures([pair.label for pair in pairs], shares, one.n_rows)
                left_out[one.named.name] = {**found, "measured_with": "this adapter"}
        for name, write in ADAPTERS.items():
            write(model.factors(), out / name)
        how = {**_how(plan, course), "device": device, "dtype": dtype, "versions": _versions()}
        card = _card(
            base, sha256, sets, plan, how, left_out, {name: file_digest(out / name) for name in ADAPTERS}
        )
        write_card({"key": key, **card}, out)
        (out / CHECKPOINT).unlink(missing_ok=True)
        return dict(json.loads((out / CARD).read_text("utf-8")))
    finally:
        shutil.rmtree(out / EXPANDED, ignore_errors=True)


def leave_out_each(
    base: Path, data: Path, out: Path, plan: Plan, say: Say = lambda _: None
) -> dict[str, Any]:
    """Train as `train_reader`, and for each set one more adapter without it, by which that set's figures are measured.

    The others lie in `out/left-out`, each with its own card; what is finished is not trained again.
    """
    card = train_reader(base, data, out, plan, say)
    for named in plan.sets:
        if plan.why_not(named) is None:
            say(f"without {named.name}:")
            without = replace(plan, leave_out=(*plan.leave_out, named.name))
            told = train_reader(base, data, out / LEFT_OUT / named.name, without, say)["left_out"][named.name]
            card["left_out"][named.name] = {
                **told,
                "measured_with": f"{LEFT_OUT}/{named.name}, trained without it",
            }
            write_card(card, out)
    return card


def write_card(card: dict[str, Any], out: Path) -> None:
    """Write a card for programs and for people."""
    with written_whole(out / CARD_IN_WORDS) as file:
        file.write(in_words(card))
    with written_whole(out / CARD) as file:
        file.write(json.dumps(card, indent=1, ensure_ascii=False) + "\n")


def _key(plan: Plan, sets: Sequence[ReadSet], base_sha256: str) -> str:
    told = asdict(plan)
    for changes_nothing in ("checkpoint_s", "tokens_at_once"):
        told["pace"].pop(changes_nothing)
    told["start_from"] = file_digest(plan.start_from) if plan.start_from else None
    told["sets"] = [[one.named.model_dump(), one.files_sha256] for one in sets]
    return content_key({**told, "base": base_sha256, "prompt": describe_prompt()})


def _go_on(model: Adapted, factors: "dict[str, tuple[Any, Any]]", plan: Plan) -> None:
    fitting = {name: one.A.shape for name, one in model.adapters.items()}
    if {name: a.shape for name, (a, _) in factors.items()} != fitting:
        raise UsageError(f"{plan.start_from}: it was trained on another base, or its rank is not {plan.rank}")
    model.take(
        {
            f"{name}.{kind}": factor
            for name, (a, b) in factors.items()
            for kind, factor in (("A", a), ("B", b / SCALE))
        }
    )


def _arithmetic(plan: Plan) -> tuple[str, str]:
    from medassay.models.processor import device_here, fast_dtype

    device = device_here()
    return device, plan.dtype or fast_dtype(device)


def _torch(dtype: str) -> Any:
    import torch

    return getattr(torch, dtype)


def _expanded(base: Path, folder: Path) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    merge(base, None, folder)
    return dict(json.loads((folder / "config.json").read_text("utf-8")))


def _encoder(folder: Path) -> Callable[[str], list[int]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    return lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids)


def _encoded(pair: Pair, encode: Callable[[str], list[int]]) -> Encoded:
    passage = passage_ids(encode, window(encode, pair.passage, pair.statement))[:PASSAGE_TOKENS]
    statement = statement_ids(encode, pair.statement)[:STATEMENT_TOKENS]
    return Encoded(passage + statement + encode(QUESTION), pair.label)


def _how(plan: Plan, course: Course) -> dict[str, Any]:
    told = asdict(plan.pace)
    told.pop("checkpoint_s")
    return {"rank": plan.rank, "alpha": SCALE * plan.rank, **told, **asdict(course)}


def _versions() -> str:
    import torch
    import transformers

    return f"torch {torch.__version__}, transformers {transformers.__version__}"


def _card(
    base: Path,
    base_sha256: str,
    sets: Sequence[ReadSet],
    plan: Plan,
    how: dict[str, Any],
    left_out: dict[str, Any],
    adapters: dict[str, str],
) -> dict[str, Any]:
    return {
        "base": {"name": base.name, "sha256": base_sha256},
        "adapter_sha256": adapters,
        "prompt": describe_prompt()["prompt"],
        "sets": [
            {
                **one.named.model_dump(mode="json"),
                "files": one.files_sha256,
                "n_rows": one.n_rows,
                "n_trained": 0 if plan.why_not(one.named) else len(one.pairs),
                "why_not": plan.why_not(one.named),
            }
            for one in sets
        ],
        "without_unlicensed": plan.without_unlicensed,
        "start_from": file_digest(plan.start_from) if plan.start_from else None,
        "training": how,
        "left_out": left_out,
    }
