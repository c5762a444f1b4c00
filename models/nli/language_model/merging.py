"""Merge the adapter into the base model, stored as bfloat16 weights.

A GGUF file's weights are quantised; multiplying them as they are, with an adapter beside them, is several times slower
on a processor than products in bfloat16 (`benchmarks/reader_speed.py`). So they are expanded once and kept.
"""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from functools import cache as kept
from pathlib import Path

from medassay.models.nli.language_model.adapter import adapter_in_use, file_digest, hf_name, read_adapter
from medassay.models.nli.language_model.bases import UnfitBase, base_at, base_digest, letter_ids
from medassay.models.nli.language_model.prompt import LETTERS

BASE = "qwen2.5-coder-1.5b-instruct-q4_k_m"
FORMAT = 1
"""Raised when merged folders of an earlier layout may not be read any more."""
WEIGHTS, LETTER_ROWS, TOKENIZER, CARD = (
    "model.safetensors",
    "letters.safetensors",
    "tokenizer.json",
    "reader.json",
)


def base_in_use() -> Path | None:
    """Return the base that `MEDASSAY_READER_BASE` names; None is the embedded model."""
    named = os.environ.get("MEDASSAY_READER_BASE", "").strip()
    return Path(named).expanduser().absolute() if named else None


def digest_in_use() -> str:
    """Return the digest of the base, without which no verdict can be told from another's."""
    from medassay.models.weights import model_named

    base = base_in_use()
    return _digest_once(base) if base else model_named(BASE).sha256


def merged_folder(cache: Path | None = None) -> Path:
    """Return where the merged weights of the adapter in use lie, or would."""
    from medassay.models.weights import cache_folder

    other = f"-{digest_in_use()[:12]}" if base_in_use() else ""
    return (cache or cache_folder()) / f"reader-{file_digest(adapter_in_use())[:12]}{other}-{FORMAT}"


def reader_is_here(cache: Path | None = None) -> bool:
    """Return whether the reader can be loaded on this machine without a download."""
    from medassay.models.weights import listing

    if base_in_use() or (merged_folder(cache) / CARD).exists():
        return True
    return any(row.pulled for row in listing(cache) if row.name == BASE)


def ensure_merged(cache: Path | None = None, say: Callable[[str], None] = lambda _: None) -> Path:
    """Return the folder of merged weights, made from the base where it is not there yet (about a minute).

    Raises:
        ModelMissing, WrongDigest: the embedded language model is not on this machine, or is another.
        UnfitBase: base and adapter do not belong together.
    """
    from filelock import FileLock

    from medassay.models.weights import ensure

    folder = merged_folder(cache)
    if (folder / CARD).exists():
        return folder
    base = base_in_use() or ensure(BASE, cache=cache)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / CARD).exists():
            say("the reader's weights are expanded once, 3 GB, about a minute")
            partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            try:
                merge(base, adapter_in_use(), partial)
                shutil.rmtree(folder, ignore_errors=True)
                partial.rename(folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return folder


@kept
def _digest_once(base: Path) -> str:
    return base_digest(base)


def merge(base: Path, adapter: Path | None, folder: Path, letters: Sequence[str] = LETTERS) -> None:
    """Write a Qwen2 base with an adapter merged in as bfloat16 weights, tokeniser, config and card.

    Of the output matrix only the rows of the letters are kept: nothing else is ever multiplied.

    Args:
        base: a GGUF file, or a folder of transformers.
        adapter: what `read_adapter` reads; None expands the base as it is.
        folder: where to write; it must not be there yet.
        letters: what the prompt is answered with; the reader's own by default.

    Raises:
        UnfitBase: where the base is no Qwen2 model, or the adapter was trained on one of another shape.
    """
    import torch
    from safetensors.torch import save_file

    source = base_at(base)
    factors = {hf_name(name): factor for name, factor in (read_adapter(adapter) if adapter else {}).items()}
    folder.mkdir(parents=True)
    ids = letter_ids(source.write_tokenizer(folder / TOKENIZER), letters)
    save_file({"letters": source.letter_rows(ids).to(torch.bfloat16).contiguous()}, folder / LETTER_ROWS)
    state: dict[str, torch.Tensor] = {}
    for name, values in source.weights():
        if factor := factors.pop(name.removesuffix(".weight"), None):
            a, b = factor
            if values.shape != (b.shape[0], a.shape[1]):
                raise UnfitBase(
                    f"the adapter {adapter} was trained on another model than {base}: {name} differs"
                )
            values = values + b @ a
        state[name] = values.to(torch.bfloat16).contiguous()
    if factors:
        raise UnfitBase(f"the adapter {adapter} was trained on another model than {base}: it has more layers")
    save_file(state, folder / WEIGHTS)
    (folder / "config.json").write_text(json.dumps(source.config), "utf-8")
    card = {
        "base_sha256": base_digest(base),
        "adapter_sha256": file_digest(adapter) if adapter else None,
        "format": FORMAT,
    }
    (folder / CARD).write_text(json.dumps(card), "utf-8")
