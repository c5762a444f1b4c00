"""Language-model reader: probabilities of three letters after one forward pass."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.deciding_sentence import deciding_sentence
from medassay.models.folding import Folded, folded
from medassay.models.nli.joint_premises import words_of
from medassay.models.nli.labels import Pair, Progress
from medassay.models.nli.language_model.bases import UnfitBase
from medassay.models.nli.language_model.merging import (
    CARD,
    FORMAT,
    LETTER_ROWS,
    TOKENIZER,
    WEIGHTS,
    digest_in_use,
    ensure_merged,
)
from medassay.models.nli.language_model.prompt import (
    PASSAGE_TOKENS,
    QUESTION,
    STATEMENT_TOKENS,
    Group,
    describe_prompt,
    packed,
    passage_ids,
    statement_ids,
    window,
)
from medassay.models.nli.window_verdicts import NO_NUMBER
from medassay.models.processor import arithmetic_on, device_here
from medassay.models.records import PairVerdict, Span
from medassay.models.text.sentences.splitting import sentences

if TYPE_CHECKING:
    from medassay.models.nli.labels import Warn
    from medassay.models.processor import Arithmetic

STAGE_VERSION = 2
"""Raised by hand whenever the same texts and weights would give other verdicts."""

TOKENS_A_ROW = {"cpu": 768, "cuda": 8192}
TOO_LONG = f"the statement has more than {STATEMENT_TOKENS} tokens"


def describe_reader(*, on_gpu: bool = False) -> dict[str, Any]:
    """Name everything that a verdict of the reader in use depends on, without loading it."""
    from medassay.models.nli.language_model.adapter import adapter_in_use, file_digest

    return {
        "model": "reader",
        "base_sha256": digest_in_use(),
        "adapter_sha256": file_digest(adapter_in_use()),
        "format": FORMAT,
        "dtype": arithmetic_on("cuda" if on_gpu else device_here()),
        "reading": describe_prompt(),
        "stage_version": STAGE_VERSION,
    }


class LanguageModelReader:
    """Reads pairs with the merged Qwen2 model of a folder; see `medassay.models.nli.language_model.merging`."""

    pairs_at_once = 64

    def __init__(self, folder: Path, *, arithmetic: "Arithmetic | None" = None) -> None:
        """Load the weights of a folder.

        Args:
            folder: what `merge` wrote.
            arithmetic: of the products with weights; None is what is fastest here, see `arithmetic_on`.
        """
        from safetensors import safe_open
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        from medassay.models.nli.language_model.network import Network

        self.device = device_here()
        self.arithmetic = arithmetic or arithmetic_on(self.device)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        letters = load_file(folder / LETTER_ROWS)["letters"]
        # A mapping of their own: of the others every page is read, of these the rows of the words that come up.
        with safe_open(folder / WEIGHTS, framework="pt") as mapped:
            embeddings = mapped.get_tensor("embed_tokens.weight")
        with safe_open(folder / WEIGHTS, framework="pt") as weights:
            self.network = Network(weights, embeddings, letters, config, self.arithmetic, self.device)
        self.tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self.question = self.encode(QUESTION)
        card = json.loads((folder / CARD).read_text("utf-8"))
        self.fingerprint: dict[str, Any] = {
            "name": "reader",
            "model": "reader",
            **card,
            "dtype": self.arithmetic,
            "reading": describe_prompt(),
            "stage_version": STAGE_VERSION,
        }

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given.

        A premise over 640 tokens is read through its sentences nearest to the hypothesis, in one window; a hypothesis
        over 160 tokens abstains.
        """
        found: dict[Pair, PairVerdict] = {}
        groups: dict[str, list[tuple[Pair, list[int]]]] = {}
        plain: dict[str, Folded] = {text: folded(text) for text in {text for pair in pairs for text in pair}}
        for pair in dict.fromkeys(pairs):
            statement = statement_ids(self.encode, plain[pair[1]].text)
            if len(statement) > STATEMENT_TOKENS:
                found[pair] = PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=TOO_LONG)
                continue
            read = window(self.encode, plain[pair[0]].text, plain[pair[1]].text)
            groups.setdefault(read, []).append((pair, statement + self.question))
        laid = [
            Group(
                passage_ids(self.encode, read)[:PASSAGE_TOKENS],
                tuple(statement for _, statement in members),
            )
            for read, members in groups.items()
        ]
        windows = list(groups)
        waiting = [list(reversed(groups[window])) for window in windows]
        for row in packed(laid, TOKENS_A_ROW[self.device]):
            shares = iter(self._read([group for _, group in row]))
            n_done = 0
            for place, group in row:
                for _ in group.statements:
                    pair, _ = waiting[place].pop()
                    found[pair] = self._verdict(pair, windows[place], plain, next(shares))
                    n_done += 1
            if on_progress:
                on_progress(n_done)
        return [found[pair] for pair in pairs]

    def _read(self, groups: Sequence[Group]) -> list[list[float]]:
        """Return the probabilities of the three letters for every statement of a row, shape (n, 3)."""
        import torch

        shares: list[list[float]] = torch.softmax(self.network(groups), dim=-1).cpu().tolist()
        return shares

    def _verdict(
        self, pair: Pair, read: str, plain: dict[str, Folded], shares: Sequence[float]
    ) -> PairVerdict:
        says, otherwise, neither = shares
        if not says + otherwise + neither <= 1.5:
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=NO_NUMBER)
        premise, hypothesis = plain[pair[0]], plain[pair[1]]
        return PairVerdict(
            entailment=says,
            neutral=neither,
            contradiction=otherwise,
            sentence=nearest_sentence(premise, hypothesis.text),
            coverage=min(1.0, len(read) / max(1, len(premise.text))),
        )


def nearest_sentence(premise: Folded, hypothesis: str) -> Span | None:
    """Return the sentence of a premise that shares most words with a hypothesis, as a span of the original text."""
    wanted = words_of(hypothesis)
    text = premise.text
    spans = sentences(text)
    if not spans:
        return None
    best = max(spans, key=lambda s: (len(wanted & words_of(text[s.start : s.end])), -s.start))
    told = deciding_sentence(text, hypothesis, Span(best.start, best.end))
    return told if premise.places is None else premise.original(told)


def load_reader(
    cache: Path | None = None, *, warn: "Warn" = lambda _: None, arithmetic: "Arithmetic | None" = None
) -> LanguageModelReader:
    """Load the reader in use; its weights are expanded first where that was not done yet.

    Raises:
        EntailmentUnavailable: when its base is not on this machine, or does not fit the adapter.
    """
    from medassay.models.nli.labels import EntailmentUnavailable
    from medassay.models.weights import ModelMissing, WrongDigest

    try:
        return LanguageModelReader(ensure_merged(cache, warn), arithmetic=arithmetic)
    except (ModelMissing, WrongDigest, UnfitBase) as error:
        raise EntailmentUnavailable(f"the language-model reader cannot be loaded: {error}") from None
