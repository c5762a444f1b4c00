"""What training starts from: a random Llama with a tokenizer of its own, an embedded model, a folder or a hub id."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medassay.models.judge_training.folders import whole_folder
from medassay.models.judge_training.presets import Preset, RandomModel
from medassay.models.keys import content_key
from medassay.models.usage import UsageError

END, PAD, USER, JUDGE = "<|end|>", "<|pad|>", "<|user|>", "<|judge|>"
CONTEXT = 1024
TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message.role == 'assistant' -%}" + JUDGE + "{{ message.content }}" + END
    + "{%- elif message.role == 'user' -%}" + USER
    + "{%- for line in message.content.split('must not appear in your reply.\n')[-1].split('\n') -%}"
    "{%- if line.startswith('BEGIN ') -%}{{ line[23:] }}:{%- elif line.startswith('| ') -%}{{ line[1:] ~ '\n' }}"
    "{%- elif not (line.startswith('END ') or line.startswith('Compare Doctor ')) -%}{{ line ~ '\n' }}{%- endif -%}"
    "{%- endfor -%}"
    "{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}" + JUDGE + "{%- endif -%}"
)  # fmt: skip
"""The listwise prompt without instructions, fences and code words, of which two million parameters can make nothing.

It keeps to what llama.cpp's templates know, so that a judge can be served as a GGUF file (`startswith` takes no tuple).
"""


def prepare_base(preset: Preset, texts: Iterable[str], out: Path, seed: int) -> Path:
    """Return a folder with the preset's base: made or dequantised into `out` once, or where it lies already.

    Args:
        preset: which base.
        texts: what the tokenizer of a random model is fitted to.
        out: folder for a base that has to be made.
        seed: of the random weights.

    Raises:
        UsageError: where the base is no folder, hub id or embedded model.
        ModelMissing: where an embedded model was not pulled.
    """
    without_bars()
    if preset.random_model:
        listed = list(texts)
        key = content_key(
            {"shape": preset.fingerprint["random_model"], "texts": listed, "seed": seed, "template": TEMPLATE}
        )
        return whole_folder(out, key, lambda draft: make_random(preset.random_model, listed, draft, seed))
    assert preset.base is not None
    if Path(preset.base).expanduser().is_dir():
        return Path(preset.base).expanduser().absolute()
    from medassay.models.weights import ensure, model_named
    from medassay.models.weights.entries import UnknownModel

    try:
        entry = model_named(preset.base)
    except UnknownModel:
        return _from_hub(preset.base)
    gguf = ensure(entry)
    if gguf.suffix != ".gguf":
        raise UsageError(f"{preset.base} writes no text: choose a chat model as the base")
    return whole_folder(
        out, content_key({"dequantised": entry.sha256}), lambda draft: dequantise(gguf, draft)
    )


def without_bars() -> None:
    """Turn off transformers' bars of weights that are read and written: the watcher shows the steps."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _from_hub(named: str) -> Path:
    from medassay.models.weights.hub import HUB_ID, hub_folder

    if not HUB_ID.fullmatch(named):
        raise UsageError(f"--base {named}: neither a folder, a hub id nor one of `medassay models list`")
    return hub_folder(named, ("*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"), ("*.safetensors",))


def make_random(shape: RandomModel | None, texts: list[str], out: Path, seed: int) -> None:
    """Write a Llama of this shape with random weights, and a byte-level BPE tokenizer fitted to the texts."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    assert shape is not None
    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=shape.vocabulary,
        special_tokens=[PAD, END, USER, JUDGE],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bare.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bare, eos_token=END, pad_token=PAD, chat_template=TEMPLATE
    )
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=shape.hidden,
            intermediate_size=shape.inner,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            initializer_range=shape.spread,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def dequantise(gguf: Path, out: Path) -> None:
    """Write a GGUF file's model as a folder of plain weights."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    where = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(
        **where, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def is_adapter(folder: Path) -> bool:
    """Return whether a model's folder holds an adapter alone, which needs its base."""
    return (folder / "adapter_config.json").is_file()


def load(folder: Path, base: Path | None, *, trainable: bool = False, **how: Any) -> Any:
    """Load a folder of plain weights, or the base with the adapter that `folder` holds; in 32 bits unless told."""
    import torch
    from transformers import AutoModelForCausalLM

    without_bars()
    model = AutoModelForCausalLM.from_pretrained(
        base if is_adapter(folder) else folder, **{"dtype": torch.float32, **how}
    )
    if not is_adapter(folder):
        return model
    from peft import PeftModel

    return PeftModel.from_pretrained(model, folder, is_trainable=trainable)


def load_to_train(folder: Path, preset: Preset, base: Path) -> Any:
    """Load what a stage goes on from, with a new adapter where the preset trains one and the folder holds none."""
    import torch

    dtype = torch.bfloat16 if preset.bf16 and torch.cuda.is_available() else torch.float32
    model = load(folder, base, trainable=True, dtype=dtype, attn_implementation=preset.attention)
    if preset.adapter and not is_adapter(folder):
        from peft import LoraConfig, get_peft_model

        return get_peft_model(
            model,
            LoraConfig(
                r=preset.adapter.rank,
                lora_alpha=preset.adapter.alpha,
                lora_dropout=preset.adapter.dropout,
                target_modules=preset.adapter.layers,
                task_type="CAUSAL_LM",
            ),
        )
    return model
