"""A chat model small enough for tests: a real Llama of a few thousand weights that says one thing, whatever it is asked."""

from pathlib import Path


def parrot(folder: Path, reply: str) -> Path:
    """Write the model's folder: the reply is one token, which follows every other and is followed by the end."""
    import torch
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_alone = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_alone, eos_token="<end>", pad_token="<end>")
    tokenizer.add_tokens([AddedToken(reply, normalized=False)])
    tokenizer.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    said, end = tokenizer.convert_tokens_to_ids([reply, "<end>"])
    network = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            max_position_embeddings=32768,
            tie_word_embeddings=False,
            bos_token_id=end,
            eos_token_id=end,
            pad_token_id=end,
        )
    )
    with torch.no_grad():
        for weights in network.parameters():
            weights.zero_()
        network.model.norm.weight.fill_(1.0)
        network.model.embed_tokens.weight[:, 0] = 1.0
        network.model.embed_tokens.weight[said] = torch.eye(8)[1]
        network.lm_head.weight[said, 0] = network.lm_head.weight[end, 1] = 9.0
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
