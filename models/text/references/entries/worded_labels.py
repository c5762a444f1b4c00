"""Labels of several words: `EMA SmPC Xolair: https://…`, `[SmPC Hemangiol] …`, `Giudice 2022. Giudice LC, …`."""

import re
from collections.abc import Collection

from medassay.models.text.references.entries.evidence import Evidence, evidence_of
from medassay.models.text.references.entries.labels import form_of, label_of

NAMES = ("body", "named", "worded", "enclosed")
"""Forms of labels that are names. Lines beside them that the text does not cite are entries all the same."""
_WORDED = re.compile(
    r"[\s>*•·◦▪_–-]*(?:\[(?P<enclosed>[^\W\d_][^\[\]\n]{1,60})\](?!\()[:.]?"
    r"|(?P<worded>[^\W\d_][\w .'’/&-]{1,60}?)[*_]{0,2}[:.])[*_]{0,2}(?:\s+|\Z)"
)


def cited_label_of(raw: str, cited: Collection[str]) -> re.Match[str] | None:
    """Read the label that a line of a list begins with; words are one where the text cites them in brackets.

    What stands behind them has to name something: `Low dose: 5 mg is enough` is no entry.
    """
    worded = _WORDED.match(raw)
    if (
        worded
        and worded[form_of(worded)].casefold() in cited
        and evidence_of(raw[worded.end() :]) >= Evidence.LIKELY
    ):
        return worded
    return label_of(raw)
