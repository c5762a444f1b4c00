"""The embedded language model with the reader's adapter merged in, kept as a folder of bfloat16 weights.

A GGUF file's weights are quantised; multiplying them as they are, with an adapter beside them, is several times slower
on a processor than products in bfloat16 (`benchmarks/reader_speed.py`). So they are expanded once and kept.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.readers.adapter import MAPS, file_digest, packaged_adapter, read_adapter
from medassay.models.readers.prompt import LETTERS

if TYPE_CHECKING:
    import numpy as np
    from gguf import GGUFReader

BASE = "qwen2.5-coder-1.5b-instruct-q4_k_m"
FORMAT = 1
"""Raised when merged folders of an earlier layout may not be read any more."""
WEIGHTS, LETTER_ROWS, TOKENIZER, CARD = (
    "model.safetensors",
    "letters.safetensors",
    "tokenizer.json",
    "reader.json",
)
_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_WORD = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How Qwen2 cuts text before its byte pairs are joined."""


def merged_folder(cache: Path | None = None) -> Path:
    """Return where the merged weights of the packaged adapter lie, or would."""
    from medassay.models.registry import cache_folder

    return (cache or cache_folder()) / f"reader-{file_digest(packaged_adapter())[:12]}-{FORMAT}"


def reader_is_here(cache: Path | None = None) -> bool:
    """Say whether the reader can be loaded on this machine without a download."""
    from medassay.models.registry import listing

    if (merged_folder(cache) / CARD).exists():
        return True
    return any(row.pulled for row in listing(cache) if row.name == BASE)


def ensure_merged(cache: Path | None = None, say: Callable[[str], None] = lambda _: None) -> Path:
    """Return the folder of merged weights, made from the embedded model where it is not there yet (about a minute).

    Raises:
        ModelMissing, WrongDigest: the embedded language model is not on this machine, or is another.
    """
    from filelock import FileLock

    from medassay.models.registry import ensure

    folder = merged_folder(cache)
    if (folder / CARD).exists():
        return folder
    base = ensure(BASE, cache=cache)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / CARD).exists():
            say("the reader's weights are expanded once, 3 GB, about a minute")
            partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            try:
                merge(base, packaged_adapter(), partial)
                shutil.rmtree(folder, ignore_errors=True)
                partial.rename(folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return folder


def merge(base: Path, adapter: Path, folder: Path) -> None:
    """Write a Qwen2 GGUF file with an adapter merged in as bfloat16 weights, tokeniser, config and card.

    Of the output matrix only the rows of the three letters are kept: nothing else is ever multiplied.
    """
    import torch
    from gguf import GGUFReader
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    reader = GGUFReader(base)
    encode = _write_tokenizer(reader, folder / TOKENIZER)
    factors = read_adapter(adapter)
    letters = [encode(letter) for letter in LETTERS]
    state: dict[str, torch.Tensor] = {}
    for tensor in reader.tensors:
        name, values = tensor.name, torch.from_numpy(_expanded(tensor, None))
        if name == "output.weight":
            rows = torch.from_numpy(_expanded(tensor, [ids[0] for ids in letters]))
            save_file({"letters": rows.to(torch.bfloat16)}, folder / LETTER_ROWS)
            continue
        if name.startswith("blk."):
            _, layer, part, kind = name.split(".")
            where = f"blk.{layer}.{part}"
            if kind == "weight" and where in factors:
                a, b = factors[where]
                values = values + b @ a
            name = f"layers.{layer}.{MAPS.get(part) or _NORMS[part]}.{kind}"
        else:
            name = {"token_embd.weight": "embed_tokens.weight", "output_norm.weight": "norm.weight"}[name]
        state[name] = values.to(torch.bfloat16).contiguous()
    save_file(state, folder / WEIGHTS)
    (folder / "config.json").write_text(json.dumps(_config(reader)), "utf-8")
    card = {"base_sha256": file_digest(base), "adapter_sha256": file_digest(adapter), "format": FORMAT}
    (folder / CARD).write_text(json.dumps(card), "utf-8")


def _expanded(tensor: Any, rows: list[int] | None) -> "np.ndarray":
    """Return a tensor's values as 32-bit numbers, of a matrix in the shape (out, in); or of some of its rows alone."""
    import numpy as np
    from gguf.quants import dequantize

    if rows is None and tensor.name == "output.weight":
        return np.zeros(0, dtype=np.float32)
    held = tensor.data if rows is None else tensor.data[rows]
    return np.array(dequantize(held, tensor.tensor_type), dtype=np.float32)


def _config(reader: "GGUFReader") -> dict[str, Any]:
    def number(key: str) -> Any:
        return reader.fields[f"qwen2.{key}"].parts[-1][0].item()

    heads, width = number("attention.head_count"), number("embedding_length")
    vocabulary = next(t for t in reader.tensors if t.name == "token_embd.weight").shape[1]
    return {
        "model_type": "qwen2",
        "vocab_size": int(vocabulary),
        "hidden_size": width,
        "num_hidden_layers": number("block_count"),
        "intermediate_size": number("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": number("attention.head_count_kv"),
        "rms_norm_eps": number("attention.layer_norm_rms_epsilon"),
        "rope_parameters": {"rope_type": "default", "rope_theta": number("rope.freq_base")},
        "use_cache": False,
    }


def _write_tokenizer(reader: "GGUFReader", path: Path) -> Callable[[str], list[int]]:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    def strings(key: str) -> list[str]:
        field = reader.fields[f"tokenizer.ggml.{key}"]
        return [bytes(field.parts[i]).decode("utf-8") for i in field.data]

    pairs = [(left, right) for left, _, right in (line.partition(" ") for line in strings("merges"))]
    vocabulary = {token: i for i, token in enumerate(strings("tokens"))}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.save(str(path))
    return lambda text: list(made.encode(text).ids)
