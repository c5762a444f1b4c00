"""The reader's adapter: low-rank factors of every linear map, 8-bit integers with one scale a rank."""

import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

FILE = "adapter.safetensors"
HUB_BASE = "Qwen/Qwen2.5-Coder-1.5B-Instruct"
"""The base of the packaged adapter, unquantised, as servers load it."""
MAPS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""Names of a layer's linear maps in GGUF files, and in transformers."""


def hf_name(name: str) -> str:
    """Return what transformers calls a map that an adapter calls `blk.0.attn_q`."""
    _, layer, part = name.split(".")
    return f"layers.{layer}.{MAPS[part]}"


def packaged_adapter() -> Path:
    """Return the adapter that travels with the package."""
    return Path(str(files("medassay.models.nli.language_model"))) / "weights" / FILE


def adapter_in_use() -> Path:
    """Return the adapter that `MEDASSAY_READER_ADAPTER` names, such as one trained here, else the packaged one.

    Raises:
        UsageError: where the named one is no file.
    """
    named = os.environ.get("MEDASSAY_READER_ADAPTER", "").strip()
    if not named:
        return packaged_adapter()
    path = Path(named).expanduser().absolute()
    if not path.is_file():
        from medassay.models.usage import UsageError

        raise UsageError(
            f"MEDASSAY_READER_ADAPTER names {path}, which is no file: name an adapter, or unset it"
        )
    return path


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def quantised(factor: "torch.Tensor", rank_axis: int) -> "tuple[torch.Tensor, torch.Tensor]":
    """Return (int8 values, float32 scale a rank) of a factor; the largest value of each rank becomes 127."""
    import torch

    scale = factor.abs().amax(dim=1 - rank_axis, keepdim=True).clamp(min=1e-12) / 127
    return (factor / scale).round().to(torch.int8), scale.flatten()


def read_adapter(path: Path) -> "dict[str, tuple[torch.Tensor, torch.Tensor]]":
    """Return by linear map, as `blk.0.attn_q`, its factors A (rank, in) and B (out, rank), scale of LoRA included.

    Reads what `write_adapter` wrote, or a LoRA adapter in GGUF.

    Raises:
        UsageError: where the file is neither.
    """
    from safetensors import SafetensorError

    from medassay.models.usage import UsageError

    try:
        return _from_gguf(path) if path.suffix == ".gguf" else _from_safetensors(path)
    except (SafetensorError, KeyError, ValueError) as error:
        raise UsageError(
            f"{path}: no reader's adapter can be read there ({error}); name an adapter.safetensors or .gguf that"
            " `medassay train reader` wrote"
        ) from None


def _from_safetensors(path: Path) -> "dict[str, tuple[torch.Tensor, torch.Tensor]]":
    from safetensors.torch import load_file

    held = load_file(path)
    names = sorted({name.rsplit(".", 1)[0] for name in held})
    return {
        name: (
            held[f"{name}.a"].float() * held[f"{name}.a_scale"][:, None],
            held[f"{name}.b"].float() * held[f"{name}.b_scale"][None, :],
        )
        for name in names
    }


def write_adapter(factors: "dict[str, tuple[torch.Tensor, torch.Tensor]]", path: Path) -> None:
    """Write factors as 8-bit integers with their scales: half of the bytes of 16-bit numbers."""
    from safetensors.torch import save_file

    held = {}
    for name, (a, b) in factors.items():
        held[f"{name}.a"], held[f"{name}.a_scale"] = quantised(a, 0)
        held[f"{name}.b"], held[f"{name}.b_scale"] = quantised(b, 1)
    save_file({name: tensor.contiguous() for name, tensor in held.items()}, path)


def write_gguf_adapter(factors: "dict[str, tuple[torch.Tensor, torch.Tensor]]", path: Path) -> None:
    """Write factors as a LoRA adapter of 16-bit numbers, which llama.cpp serves beside the unchanged model file."""
    import numpy as np
    from gguf import GGUFWriter

    (rank,) = {a.shape[0] for a, _ in factors.values()}
    writer = GGUFWriter(path, "qwen2")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))  # the scale is in B
    for name, (a, b) in sorted(factors.items()):
        for kind, factor in (("a", a), ("b", b)):
            writer.add_tensor(
                f"{name}.weight.lora_{kind}", np.ascontiguousarray(factor.cpu().numpy().astype(np.float16))
            )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_lora_folder(factors: "dict[str, tuple[torch.Tensor, torch.Tensor]]", folder: Path) -> None:
    """Write factors as PEFT keeps a LoRA adapter, which vLLM and others serve beside the base that the hub has.

    Args:
        factors: what `read_adapter` returned.
        folder: where to write; it must not be there yet.
    """
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    (rank,) = {a.shape[0] for a, _ in factors.values()}
    held = {
        f"base_model.model.model.{hf_name(name)}.lora_{kind}.weight": factor.to(torch.float16).contiguous()
        for name, pair in factors.items()
        for kind, factor in zip("AB", pair, strict=True)
    }
    save_file(held, folder / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": HUB_BASE,
        "r": rank,
        "lora_alpha": rank,  # the scale is in B
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted({hf_name(name).rsplit(".", 1)[1] for name in factors}),
        "inference_mode": True,
    }
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


def _from_gguf(path: Path) -> "dict[str, tuple[torch.Tensor, torch.Tensor]]":
    import numpy as np
    import torch
    from gguf import GGUFReader

    reader = GGUFReader(path)
    alpha = float(reader.fields["adapter.lora.alpha"].parts[-1][0])
    held = {
        tensor.name: torch.from_numpy(np.array(tensor.data, dtype=np.float32)) for tensor in reader.tensors
    }
    factors = {}
    for name in held:
        if name.endswith(".weight.lora_a"):
            a, b = held[name], held[name[: -len("a")] + "b"]
            factors[name.removesuffix(".weight.lora_a")] = (a, b * (alpha / a.shape[0]))
    return factors
