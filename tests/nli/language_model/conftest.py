"""A tiny random Qwen2 as GGUF and as a folder, its vocabulary single bytes and the three letters."""

import json
from pathlib import Path

import numpy as np
import pytest

WIDTH, LAYERS, HEADS, KEY_HEADS, INNER = 32, 2, 4, 2, 48
MAPS = {
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (WIDTH // 2, WIDTH),
    "attn_v": (WIDTH // 2, WIDTH),
    "attn_output": (WIDTH, WIDTH),
    "ffn_gate": (INNER, WIDTH),
    "ffn_up": (INNER, WIDTH),
    "ffn_down": (WIDTH, INNER),
}


def vocabulary() -> list[str]:
    from tokenizers import pre_tokenizers

    return [*sorted(pre_tokenizers.ByteLevel.alphabet()), "ĠA", "ĠB", "ĠC"]


@pytest.fixture(scope="session")
def shapes() -> dict[str, tuple[int, int]]:
    """Return (outputs, inputs) of every linear map, as adapters name it."""
    return {f"blk.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in MAPS.items()}


@pytest.fixture(scope="session")
def gguf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from gguf import GGUFWriter

    rng = np.random.default_rng(3)
    tokens = vocabulary()
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = GGUFWriter(path, "qwen2")
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10_000.0)
    writer.add_token_list(tokens)
    writer.add_token_merges(["Ġ A", "Ġ B", "Ġ C"])

    def put(name: str, *shape: int) -> None:
        writer.add_tensor(name, rng.normal(0, 0.3, shape).astype(np.float32))

    put("token_embd.weight", len(tokens), WIDTH)
    put("output.weight", len(tokens), WIDTH)
    put("output_norm.weight", WIDTH)
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            put(f"blk.{layer}.{norm}.weight", WIDTH)
        for name, (out, inputs) in MAPS.items():
            put(f"blk.{layer}.{name}.weight", out, inputs)
            if name in ("attn_q", "attn_k", "attn_v"):
                put(f"blk.{layer}.{name}.bias", out)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what transformers writes of a random Qwen2ForCausalLM, with its tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import Qwen2Config, Qwen2ForCausalLM

    folder = tmp_path_factory.mktemp("qwen2")
    torch.manual_seed(4)
    config = Qwen2Config(
        vocab_size=len(vocabulary()),
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        intermediate_size=INNER,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=None,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    merges = [("Ġ", letter) for letter in "ABC"]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(vocabulary())}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.save(str(folder / "tokenizer.json"))
    assert json.loads((folder / "config.json").read_text())["model_type"] == "qwen2"
    return folder
