"""The three labels in the order every probability is kept in, and how a checkpoint's own labels are read into them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.entailment.protocol import UnknownLabels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

_SAID = {
    ENTAILMENT: "entailment entails entail entailed supported supports support consistent true yes grounded".split(),
    NEUTRAL: "neutral nei notenoughinfo notenoughinformation unknown unrelated irrelevant noinfo reasoning".split(),
    CONTRADICTION: "contradiction contradicts contradict contradictory refuted refutes refute contrasting".split(),
}
_NOT_ENTAILED = frozenset(
    "notentailment notentailed notsupported unsupported nonentailment notconsistent inconsistent hallucinated "
    "hallucination false no notgrounded ungrounded".split()
)
_CLASS_OF = {name: label for label, names in _SAID.items() for name in names}


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """For each of a checkpoint's columns the label it counts towards; a binary checker's second one is neutral."""

    columns: tuple[int, ...]
    kind: str

    def fold(self, probabilities: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Add (n, columns) probabilities up into (n, 3), in the order of `LABELS`."""
        import numpy as np

        folded = np.zeros((len(probabilities), len(LABELS)), dtype=np.float32)
        for column, label in enumerate(self.columns):
            folded[:, label] += probabilities[:, column]
        return folded


def read_label_order(id2label: Mapping[int, str], model: str) -> LabelOrder:
    """Read a checkpoint's `id2label`, in any order, case and common wording.

    Two classes make a binary checker: what is not entailed counts as neutral, and contradiction is never said.
    Two classes without names (`LABEL_0`, `LABEL_1`) are read as unsupported and supported, as MiniCheck has them.
    SciNLI's four are folded: reasoning → neutral, contrasting → contradiction. The self-test has the last word on all.

    Raises:
        UnknownLabels: naming the labels that were found.
    """
    names = [re.sub(r"[^a-z0-9]", "", id2label[i].lower()) for i in sorted(id2label)]
    if len(names) == 2:
        if names == ["label0", "label1"]:
            return LabelOrder((NEUTRAL, ENTAILMENT), "binary")
        columns = [NEUTRAL if n in _NOT_ENTAILED else _CLASS_OF.get(n) for n in names]
        if sorted(columns, key=str) == [ENTAILMENT, NEUTRAL]:
            return LabelOrder(tuple(c for c in columns if c is not None), "binary")
    elif len(names) in (3, 4):
        columns = [_CLASS_OF.get(n) for n in names]
        if None not in columns and set(columns) == {ENTAILMENT, NEUTRAL, CONTRADICTION}:
            return LabelOrder(
                tuple(c for c in columns if c is not None), "three-way" if len(names) == 3 else "SciNLI"
            )
    raise UnknownLabels(
        f"{model}: the labels {', '.join(repr(id2label[i]) for i in sorted(id2label))} cannot be read as entailment, "
        "neutral and contradiction; name the labels in the checkpoint's config.json (id2label)"
    )
