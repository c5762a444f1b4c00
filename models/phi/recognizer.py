"""Names, addresses and numbers found by a small token classifier that runs on this machine without a network.

The model is Rampart (`rampart/`, 15 MB, CC BY 4.0, National Design Studio): a BERT encoder in four-bit ONNX with
seventeen classes of personal data. Alone it takes some medicines and eponyms for names: its names pass the word lists.
`docs/phi.md` has what it finds and what it takes for a person, measured.
"""

import json
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from medassay.models.phi import name_patterns as sign
from medassay.models.phi.grammar import Kind, digits_in
from medassay.models.phi.name_patterns import ends_with_relative
from medassay.models.phi.words import SICKNESS, is_eponym, is_given_name, is_seldom_a_name

MODEL = Path(__file__).parent / "rampart"
WINDOW, STEP, MAX_TOKENS = 480, 416, 512
"""Characters a window and between two beginnings, as the model was trained; tokens that it can read at once."""
THRESHOLD_PATIENT, THRESHOLD_OTHER = 0.4, 0.9
"""Least probability in a patient's own text, and in any other; of those only names of two words or more are taken,
since most numbers are helplines' and results."""
THRESHOLD_ONE_WORD = 0.8
"""Least probability of a single word that is no common given name and follows no relative."""
KINDS: tuple[tuple[Kind, str], ...] = (
    ("name", "GIVEN_NAME SURNAME"),
    ("email", "EMAIL"),
    ("phone", "PHONE"),
    ("record number", "TAX_ID BANK_ACCOUNT ROUTING_NUMBER GOVERNMENT_ID PASSPORT DRIVERS_LICENSE"),
    ("address", "BUILDING_NUMBER STREET_NAME SECONDARY_ADDRESS CITY STATE ZIP_CODE"),
)
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_UNIT = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_JOINS: dict[Kind, re.Pattern[str]] = {
    "name": re.compile(r"[ '’-]|[.,] |"),
    "email": re.compile(r"[@._+-]|"),
    "phone": re.compile(r"[ ()./+-]{0,2}"),
    "record number": re.compile(r"[ ./-]{0,2}"),
    "address": re.compile(r"[ ,./#º-]{0,2}"),
}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CASED = re.compile(r"[A-Za-zÀ-ɏͰ-ӿḀ-ỿ]")
_FEWEST_DIGITS = 5
_LONGEST_UNCASED = 20
_ABBREVIATION = re.compile(r"[A-Z]{1,5}")


@cache
def _loaded() -> tuple[Any, Any, list[list[int]]]:
    """Return the session, the tokenizer and the classes of each kind; read once a process."""
    import onnxruntime
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # measured: a spinning second thread makes a busy machine slower
    session = onnxruntime.InferenceSession(
        str(MODEL / "model_q4.onnx"), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    labels = json.loads((MODEL / "config.json").read_text("utf-8"))["id2label"]
    classes = [[int(n) for n, label in labels.items() if label[2:] in names.split()] for _, names in KINDS]
    return session, tokenizer, classes


@lru_cache(maxsize=4096)
def _probabilities(text: str) -> Any:
    """Return the probability of each kind at each character: array (kinds, characters), the most of all windows."""
    import numpy as np

    session, tokenizer, classes = _loaded()
    inputs = {one.name for one in session.get_inputs()}
    by_character = np.zeros((len(KINDS), len(text)), dtype=np.float32)
    for begin in range(0, max(1, len(text) - WINDOW + STEP), STEP):
        tokens = tokenizer.encode(text[begin : begin + WINDOW])
        fed = {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attention_mask,
            "token_type_ids": tokens.type_ids,
        }
        (logits,) = session.run(
            None, {k: np.array([v], dtype=np.int64) for k, v in fed.items() if k in inputs}
        )
        odds = np.exp(logits[0] - logits[0].max(axis=-1, keepdims=True))
        odds /= odds.sum(axis=-1, keepdims=True)
        by_kind = np.stack([odds[:, of_kind].sum(axis=-1) for of_kind in classes])
        for n, (start, end) in enumerate(tokens.offsets):
            here = by_character[:, begin + start : begin + end]
            np.maximum(here, by_kind[:, n : n + 1], out=here)
    return by_character


def recognized(text: str, own: bool) -> list[tuple[Kind, int, int]]:
    """List what the model takes for a person's, as (kind, start, end), half open, in order.

    Args:
        text: any text, folded.
        own: whether it is a patient's own text, where a lower probability is enough.
    """
    if not text.strip():
        return []
    least = THRESHOLD_PATIENT if own else THRESHOLD_OTHER
    probabilities = _probabilities(text)
    spans: list[tuple[Kind, int, int]] = []
    for unit in _UNIT.finditer(text):
        start, end = unit.span()
        most = probabilities[:, start:end].max(axis=1)
        if most.max() < least:
            continue
        kind = KINDS[int(most.argmax())][0]
        if (
            kind == "address"
            and spans
            and spans[-1][0] == "name"
            and text[spans[-1][2] : start] in (" ", "-")
        ):
            kind = "name"  # a surname that is a town's, too
        if spans and spans[-1][0] == kind and _JOINS[kind].fullmatch(text[spans[-1][2] : start]):
            start = spans.pop()[1]
        spans.append((kind, start, end))
    checked = [
        (kind, _checked(text, kind, start, end)) for kind, start, end in spans if own or kind == "name"
    ]
    return [(kind, *span) for kind, span in checked if span and (own or _WORD.findall(text, *span)[1:])]


def _checked(text: str, kind: Kind, start: int, end: int) -> tuple[int, int] | None:
    """Return how much of a span is a person's, None where nothing is."""
    found = text[start:end]
    if kind == "name":
        return _name(text, start, end)
    if kind == "address":
        return (start, end) if digits_in(found) and re.search(r"[^\W\d_]{3}", found) else None
    if kind == "email":
        return (start, end) if "@" in found else None
    inside = re.search(r"[(+]?\d.*\d", found, re.DOTALL)
    if inside is None or digits_in(found) < _FEWEST_DIGITS:
        return None
    return (start + inside.start(), start + inside.end()) if kind == "phone" else (start, end)


def _name(text: str, start: int, end: int) -> tuple[int, int] | None:
    words = list(_WORD.finditer(text, start, end))
    if any(word.group()[0].isupper() for word in words):
        while words[-1].group().islower():
            words.pop()
    while words and is_seldom_a_name(words[0].group()):
        words.pop(0)
    while words and is_seldom_a_name(words[-1].group()):
        words.pop()
    plain = [word.group() for word in words]
    if not words or any(map(is_seldom_a_name, plain)) or is_eponym(plain[-1]):
        return None
    span = words[0].start(), words[-1].end()
    if SICKNESS.match(text, span[1]) or not _spelled_as_a_name(plain):
        return None
    if len(plain) == 1 and not is_given_name(plain[0]) and not ends_with_relative(text[: span[0]]):
        if (
            _ABBREVIATION.fullmatch(plain[0])
            or _probabilities(text)[0, slice(*span)].max() < THRESHOLD_ONE_WORD
        ):
            return None
    return span


def _spelled_as_a_name(words: list[str]) -> bool:
    """Tell whether words have a capital or begin with a given name, in Chinese with a surname."""
    if _CASED.search("".join(words)):
        return any(word[0].isupper() for word in words) or is_given_name(words[0])
    if re.match(f"[{sign.HAN}]", words[0]):
        return words[0][0] in sign.HAN_SURNAMES and 2 <= len(words[0]) <= 4
    return len("".join(words)) <= _LONGEST_UNCASED
