"""A reply that is spelled out for the model: how likely it would have been to say it is what is read.

A grammar that allows one token after the other is a feature of llama.cpp's servers (its GBNF grammars), whose
log-probabilities are those before the grammar. Others refuse it.
"""

import json
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.vocabulary import gguf_tokenizer


def grammar_of(said: str, endpoint: Endpoint) -> str:
    """Write the grammar of a reply that can say nothing else.

    Where the model's own vocabulary is at hand, each token is named: a grammar of letters would let the model take the
    likeliest of all tokens that begin a word, and the word it did not expect would hardly surprise it.
    """
    tokenizer = gguf_tokenizer(endpoint.served_from) if endpoint.served_from is not None else None
    if tokenizer is None:
        return f"root ::= {json.dumps(said, ensure_ascii=False)}"
    ids = tokenizer.encode(said, add_special_tokens=False).ids
    return "root ::= " + " ".join(f"<[{number}]>" for number in ids)


def log_probabilities(choice: dict[str, Any]) -> str:
    """Return a choice's tokens with their natural log-probabilities as JSON, `[[token, logprob], …]`."""
    spelled = [(entry["token"], float(entry["logprob"])) for entry in choice["logprobs"]["content"]]
    return json.dumps([entry for entry in spelled if entry[0]], ensure_ascii=False)
