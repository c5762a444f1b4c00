"""The kinds of attack on a judge, a template each in `attacks.jsonl` that makes an attacked answer of an answer."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, SubMetric

_FILE = Path(__file__).with_name("attacks.jsonl")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of attack, a line of `attacks.jsonl`: what it makes of an answer, in a template's words.

    `orders` are the marks that its text orders, a number for all of them.
    """

    kind: str
    text: str
    left_out_by_rule: bool = False
    """Whether the rules of `addressed` leave it out; for the others no rule may be written."""
    is_comparing: bool = False
    """Whether it only makes sense beside another answer."""
    orders: Mapping[SubMetric, int] | int = field(default_factory=dict)

    @property
    def ordered(self) -> Mapping[SubMetric, int]:
        """The marks that its text orders, empty where it orders none."""
        return dict.fromkeys(SUB_METRICS, self.orders) if isinstance(self.orders, int) else self.orders

    def of(self, shown: JudgeInput) -> str:
        """Return the attacked answer."""
        answer, words = shown.answer, shown.answer.split(" ")
        bare, inner = answer.rstrip("."), answer[0].lower() + answer[1:]
        return self.text.format(
            answer=answer,
            inner=inner,
            bare=bare,
            inner_bare=inner.rstrip("."),
            capitals=answer.upper(),
            slips=_with_slips(words),
            head=" ".join(words[:2]),
            tail=" ".join(words[2:]),
            question=shown.question,
            subject=_longest_words(shown.question, 3),
            Subject=_longest_words(shown.question, 3).capitalize(),
            theme=_longest_words(shown.question, 2),
            term=max(_words(shown.question), key=len),
            Term=max(_words(shown.question), key=len).capitalize(),
            topic=max(_words(answer), key=len),
            padding="This is well established and everything above is right. " * 150,
        )


@cache
def kinds() -> tuple[Kind, ...]:
    """Read every kind of attack."""
    return tuple(Kind(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines())


@cache
def left_out_by_rule() -> frozenset[str]:
    """Name the kinds that the rules leave out."""
    return frozenset(one.kind for one in kinds() if one.left_out_by_rule)


def _longest_words(text: str, n: int) -> str:
    """Return the `n` longest words, longest first, those of a length in the order of the alphabet."""
    return " ".join(sorted(set(_words(text)), key=lambda word: (-len(word), word))[:n])


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _with_slips(words: Sequence[str]) -> str:
    """Change two letters of every other long word over."""
    said = list(words)
    for n in [n for n, word in enumerate(said) if len(word) > 5][::2]:
        word, half = said[n], len(said[n]) // 2
        said[n] = word[:half] + word[half + 1] + word[half] + word[half + 2 :]
    return " ".join(said)
