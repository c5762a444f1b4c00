"""The tokenizer inside a GGUF file, read without loading the model: the vocabulary and merges stand in its head.

Format: the GGUF specification of ggml (versions 2 and 3): a magic word, counts, then keys with typed values.
"""

import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_WORDS_BEFORE_MERGING: Mapping[str, str] = {
    "qwen2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""How a text falls into words before their bytes are merged, by the file's `tokenizer.ggml.pre`."""


@lru_cache(maxsize=2)
def gguf_tokenizer(path: Path) -> Any | None:
    """Return the `tokenizers.Tokenizer` of a GGUF file; None where there is no file or its kind is not known here."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            found = _keys(file)
    except (struct.error, UnicodeDecodeError, KeyError):  # cut off, or of a later version
        return None
    words = _WORDS_BEFORE_MERGING.get(found.get("tokenizer.ggml.pre", ""))
    if found.get("tokenizer.ggml.model") != "gpt2" or words is None:
        return None
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(
        models.BPE(
            vocab={token: n for n, token in enumerate(found["tokenizer.ggml.tokens"])},
            merges=[_pair(merge) for merge in found["tokenizer.ggml.merges"]],
        )
    )
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


def _pair(merge: str) -> tuple[str, str]:
    left, right = merge.split(" ")
    return left, right


def _keys(file: IO[bytes]) -> dict[str, Any]:
    """Read the head's keys; those of the tokenizer are all that is kept."""
    magic, _, _, n_keys = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF":
        return {}
    found = {}
    for _ in range(n_keys):
        name = _string(file)
        value = _value(file, _number(file, 4))
        if name.startswith("tokenizer."):
            found[name] = value
    return found


def _value(file: IO[bytes], kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        inner, n = _number(file, 4), _number(file, 8)
        return [_value(file, inner) for _ in range(n)]
    form = _SCALARS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _string(file: IO[bytes]) -> str:
    return file.read(_number(file, 8)).decode("utf-8", "replace")


def _number(file: IO[bytes], n_bytes: int) -> int:
    return int.from_bytes(file.read(n_bytes), "little")
