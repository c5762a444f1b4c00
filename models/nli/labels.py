"""The three labels, the protocol of an entailment model, and how a checkpoint's own labels map to ours."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any, Protocol

from medassay.models.records import PairVerdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE_VERSION = 4
"""Raised by hand whenever the same texts and weights would give other verdicts."""

Pair = tuple[str, str]
Progress = Callable[[int], None]
Warn = Callable[[str], None]

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
_SAID = {
    ENTAILMENT: r"entail(?:ment|s|ed)?|support(?:s|ed)?|consistent|true|yes|grounded",
    NEUTRAL: r"neutral|nei|notenough\w*|insufficient\w*|noinfo\w*|unknown|unrelated|irrelevant|reasoning",
    CONTRADICTION: r"contradict(?:ion|s|ed|ory)?|refute[sd]?|contrasting",
}
_NOT_ENTAILED = re.compile(
    r"(?:not|non|un)(?:entail|support|ground|consistent)\w*|inconsistent|hallucinat(?:ed|ion)|false|no"
)


class EntailmentModel(Protocol):
    """Scores pairs; `fingerprint` names everything that a verdict depends on."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Model, weights digest, dtype, window, overlap and stage version."""
        ...

    @property
    def pairs_at_once(self) -> int:
        """So many pairs a call keep the machine busy to the end; fewer leave some of it waiting."""
        ...

    def score(self, pairs: Sequence[Pair], on_progress: Progress | None = None) -> list[PairVerdict]:
        """Judge (premise, hypothesis) pairs: one verdict a pair, in the order given."""
        ...


class EntailmentUnavailable(RuntimeError):
    """The named model cannot be loaded; the message says why and what to name instead."""


class UnknownLabels(ValueError):
    """A checkpoint's labels cannot be read as entailment, neutral and contradiction."""


class SelfTestFailed(RuntimeError):
    """A model that was loaded does not tell plain known answers apart; nothing it says can be used."""


def _class_of(name: str) -> int | None:
    return next((label for label, said in _SAID.items() if re.fullmatch(said, name)), None)


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """For each of a checkpoint's columns the label it counts towards; a binary checker's second one is neutral."""

    columns: tuple[int, ...]
    kind: str
    guessed: bool = False
    """Whether the order does not stand in the checkpoint, but in what it says to known answers."""

    def others(self) -> "tuple[LabelOrder, ...]":
        """Return the orders that known answers may show to be the right ones where this one is not."""
        if self.kind == "SciNLI":
            # From computer-science papers: contrasting may mean contradiction, or only that two papers differ.
            folded = tuple(NEUTRAL if label == CONTRADICTION else label for label in self.columns)
            return (LabelOrder(folded, "binary", guessed=True),)
        if self.guessed:
            return tuple(
                LabelOrder(columns, self.kind, guessed=True)
                for columns in permutations(self.columns)
                if columns != self.columns
            )
        return ()

    def said(self) -> str:
        """Return what each of the checkpoint's columns counts as, in order."""
        return ", ".join(LABELS[label] for label in self.columns)

    def fold(self, probabilities: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Add (n, columns) probabilities up into (n, 3), in the order of `LABELS`."""
        import numpy as np

        folded = np.zeros((len(probabilities), len(LABELS)), dtype=np.float32)
        for column, label in enumerate(self.columns):
            folded[:, label] += probabilities[:, column]
        return folded


def read_label_order(id2label: Mapping[int, object], model: str) -> LabelOrder:
    """Read a checkpoint's `id2label`, in any order, case and common wording.

    Two classes make a binary checker: what is not entailed counts as neutral, and contradiction is never said, even
    where it is the other one's name: who has no word for neutral says it of all that is left open.
    Two classes without names (`LABEL_0`, `LABEL_1`) are read as unsupported and supported, as MiniCheck has them,
    unless known answers show the other order; three without names may stand in any order, which only known answers can
    tell. SciNLI's four are folded: reasoning → neutral, contrasting → contradiction, or neutral where known answers say
    so. The self-test has the last word on all.

    Raises:
        UnknownLabels: naming the labels that were found.
    """
    if len(id2label) == 1:
        raise UnknownLabels(
            f"{model}: it has one output, a score: it is no classifier of pairs; name another one"
        )
    if unnamed := [i for i in sorted(id2label) if not isinstance(id2label[i], str)]:
        raise UnknownLabels(
            f"{model}: label {unnamed[0]} is {json.dumps(id2label[unnamed[0]])} and must be a word; name the labels in "
            "the checkpoint's config.json (id2label)"
        )
    names = [re.sub(r"[^a-z0-9]", "", str(id2label[i]).lower()) for i in sorted(id2label)]
    names = [f"label{name}" if name.isdigit() else name for name in names]
    if len(names) == 2:
        if names == ["label0", "label1"]:
            return LabelOrder((NEUTRAL, ENTAILMENT), "binary", guessed=True)
        columns = [NEUTRAL if _NOT_ENTAILED.fullmatch(n) else _class_of(n) for n in names]
        columns = [NEUTRAL if label == CONTRADICTION else label for label in columns]
        if sorted(columns, key=str) == [ENTAILMENT, NEUTRAL]:
            return LabelOrder(tuple(c for c in columns if c is not None), "binary")
    elif names == ["label0", "label1", "label2"]:
        return LabelOrder((ENTAILMENT, NEUTRAL, CONTRADICTION), "three-way", guessed=True)
    elif len(names) in (3, 4):
        columns = [_class_of(n) for n in names]
        if None not in columns and set(columns) == {ENTAILMENT, NEUTRAL, CONTRADICTION}:
            return LabelOrder(
                tuple(c for c in columns if c is not None), "three-way" if len(names) == 3 else "SciNLI"
            )
    raise UnknownLabels(
        f"{model}: the labels {', '.join(repr(id2label[i]) for i in sorted(id2label))} cannot be read as entailment, "
        "neutral and contradiction; name the labels in the checkpoint's config.json (id2label)"
    )
