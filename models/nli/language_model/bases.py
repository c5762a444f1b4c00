"""Base models of a reader: Qwen2 as a GGUF file or a transformers folder."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from medassay.models.nli.language_model.adapter import MAPS, file_digest
from medassay.models.nli.language_model.prompt import LETTERS
from medassay.models.usage import UsageError

if TYPE_CHECKING:
    import numpy as np
    import torch

Encode = Callable[[str], list[int]]
_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_OUTSIDE_LAYERS = {"token_embd.weight": "embed_tokens.weight", "output_norm.weight": "norm.weight"}
_WORD = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How Qwen2 cuts text before its byte pairs are joined."""


class UnfitBase(UsageError):
    """The file or folder is no language model that a reader can be built on; the message says why."""


class Base(Protocol):
    """A base's parts, in the names of transformers' Qwen2Model."""

    config: dict[str, Any]

    def write_tokenizer(self, path: Path) -> Encode:
        """Write `tokenizer.json`, and return what encodes a text."""
        ...

    def weights(self) -> "Iterator[tuple[str, torch.Tensor]]":
        """Yield (name, values) of every weight but the output matrix."""
        ...

    def letter_rows(self, ids: list[int]) -> "torch.Tensor":
        """Return these rows of the output matrix, shape (n, width)."""
        ...


def base_at(path: Path) -> Base:
    """Open a base.

    Raises:
        UnfitBase: where there is no Qwen2 model.
    """
    if path.is_dir():
        return FolderBase(path)
    if path.suffix != ".gguf" or not path.is_file():
        raise UnfitBase(f"{path}: name a GGUF file, or the folder of a model with config.json")
    return GgufBase(path)


def base_digest(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the digests of its config, tokenizer and weights."""
    if path.is_file():
        return file_digest(path)
    files = [path / "config.json", path / "tokenizer.json", *sorted(path.glob("*.safetensors"))]
    told = "".join(f"{file.name} {file_digest(file)}\n" for file in files if file.is_file())
    return hashlib.sha256(told.encode()).hexdigest()


def letter_ids(encode: Encode, letters: Sequence[str] = LETTERS) -> list[int]:
    """Return the tokens of the letters that a prompt is answered with.

    Raises:
        UnfitBase: where one of them is not one token.
    """
    found = [encode(letter) for letter in letters]
    if any(len(ids) != 1 for ids in found):
        raise UnfitBase(f"the tokenizer cuts one of {letters} into several tokens: name a Qwen2 model")
    return [ids[0] for ids in found]


class GgufBase:
    """A GGUF file; its weights are expanded as they are asked for."""

    def __init__(self, path: Path) -> None:
        from gguf import GGUFReader

        self._reader = GGUFReader(path)
        kind = self._reader.fields.get("general.architecture")
        if kind is None or bytes(kind.parts[-1]).decode("utf-8") != "qwen2":
            raise UnfitBase(f"{path}: it holds no Qwen2 model, and no other kind is read")
        self.config = self._config()

    def write_tokenizer(self, path: Path) -> Encode:
        """Write `tokenizer.json` from the file's vocabulary and merges."""
        from tokenizers import Regex, Tokenizer, models, pre_tokenizers

        pairs = [(left, right) for left, _, right in (one.partition(" ") for one in self._strings("merges"))]
        vocabulary = {token: i for i, token in enumerate(self._strings("tokens"))}
        made = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_WORD), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        made.save(str(path))
        return lambda text: list(made.encode(text).ids)

    def weights(self) -> "Iterator[tuple[str, torch.Tensor]]":
        """Yield every weight as 32-bit numbers, matrices in the shape (out, in)."""
        import torch

        for tensor in self._reader.tensors:
            name = tensor.name
            if name == "output.weight":
                continue
            if name.startswith("blk."):
                _, layer, part, kind = name.split(".")
                name = f"layers.{layer}.{MAPS.get(part) or _NORMS[part]}.{kind}"
            else:
                name = _OUTSIDE_LAYERS[name]
            yield name, torch.from_numpy(_expanded(tensor, tensor.data))

    def letter_rows(self, ids: list[int]) -> "torch.Tensor":
        """Return rows of the output matrix, which some files leave out because it is that of the embeddings."""
        import torch

        held = {tensor.name: tensor for tensor in self._reader.tensors}
        tensor = held.get("output.weight") or held["token_embd.weight"]
        return torch.from_numpy(_expanded(tensor, tensor.data[ids]))

    def _strings(self, key: str) -> list[str]:
        field = self._reader.fields[f"tokenizer.ggml.{key}"]
        return [bytes(field.parts[i]).decode("utf-8") for i in field.data]

    def _config(self) -> dict[str, Any]:
        def number(key: str) -> Any:
            return self._reader.fields[f"qwen2.{key}"].parts[-1][0].item()

        vocabulary = next(t for t in self._reader.tensors if t.name == "token_embd.weight").shape[1]
        return {
            "model_type": "qwen2",
            "vocab_size": int(vocabulary),
            "hidden_size": number("embedding_length"),
            "num_hidden_layers": number("block_count"),
            "intermediate_size": number("feed_forward_length"),
            "num_attention_heads": number("attention.head_count"),
            "num_key_value_heads": number("attention.head_count_kv"),
            "rms_norm_eps": number("attention.layer_norm_rms_epsilon"),
            "rope_parameters": {"rope_type": "default", "rope_theta": number("rope.freq_base")},
            "use_cache": False,
        }


class FolderBase:
    """A folder that transformers wrote: config.json, tokenizer.json and safetensors of a Qwen2ForCausalLM."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            told = json.loads((folder / "config.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UnfitBase(f"{folder}: config.json cannot be read ({error})") from None
        self._files = sorted(folder.glob("*.safetensors"))
        if told.get("model_type") != "qwen2":
            raise UnfitBase(
                f"{folder}: it holds a model of the kind {told.get('model_type')}; only qwen2 is read"
            )
        if not self._files or not (folder / "tokenizer.json").is_file():
            raise UnfitBase(f"{folder}: weights as *.safetensors and a tokenizer.json are needed")
        rope = told.get("rope_parameters") or {"rope_theta": told.get("rope_theta", 10_000.0)}
        if rope.get("rope_type", "default") != "default" or told.get("rope_scaling"):
            raise UnfitBase(f"{folder}: positions are scaled ({rope}), which is not read")
        kept = (
            "vocab_size hidden_size num_hidden_layers intermediate_size num_attention_heads num_key_value_heads"
            " rms_norm_eps"
        ).split()
        self.config = {
            "model_type": "qwen2",
            **{name: told[name] for name in kept},
            "rope_parameters": {"rope_type": "default", "rope_theta": rope["rope_theta"]},
            "use_cache": False,
        }

    def write_tokenizer(self, path: Path) -> Encode:
        """Copy `tokenizer.json`."""
        from tokenizers import Tokenizer

        made = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        made.no_truncation()
        made.no_padding()
        made.save(str(path))
        return lambda text: list(made.encode(text, add_special_tokens=False).ids)

    def weights(self) -> "Iterator[tuple[str, torch.Tensor]]":
        """Yield every weight as 32-bit numbers, one file after the other."""
        for name, values in self._held():
            if name != "lm_head.weight":
                yield name.removeprefix("model."), values.float()

    def letter_rows(self, ids: list[int]) -> "torch.Tensor":
        """Return rows of the output matrix, which is that of the embeddings where no other is stored."""
        head, embeddings = "lm_head.weight", "model.embed_tokens.weight"
        held = {name: values for name, values in self._held() if name in (head, embeddings)}
        matrix: torch.Tensor = held[head if head in held else embeddings]
        return matrix[ids].float()

    def _held(self) -> "Iterator[tuple[str, Any]]":
        from safetensors import safe_open

        for file in self._files:
            with safe_open(file, framework="pt") as held:
                for name in held.keys():  # no mapping
                    yield name, held.get_tensor(name)


def _expanded(tensor: Any, held: "np.ndarray") -> "np.ndarray":
    import numpy as np
    from gguf.quants import dequantize

    # As plain arrays: slices of a memory map are made a hundred times slower than they are read.
    values = np.asarray(dequantize(np.asarray(held), tensor.tensor_type), dtype=np.float32)
    return values if values.flags.writeable else values.copy()
