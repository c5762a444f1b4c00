"""What doctors found in a trial's article, asked of its whole abstract, where the sentence they marked stands in it.

A marked span leaves nothing to be looked for. In an abstract the same finding stands among aims, methods and other
outcomes, as it does in every passage that is cited.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from medassay.models.entailment.training.abstracts import Abstract
from medassay.models.entailment.training.pairs import LabelledPair

_OTHER = re.compile(r"\W+")
_LONGEST_COMPARED = 120


def in_abstracts(pairs: Iterable[LabelledPair], abstracts: Sequence[Abstract]) -> list[LabelledPair]:
    """Give pairs whose premise stands in their document's abstract that abstract as premise; leave out the others."""
    whole = {doc: " ".join(text for text in texts if text) for doc, texts in abstracts}
    plain = {doc: _plain(text) for doc, text in whole.items()}
    return [
        replace(pair, premise=whole[pair.doc], source="reported")
        for pair in pairs
        if pair.doc in whole and _plain(pair.premise)[:_LONGEST_COMPARED] in plain[pair.doc]
    ]


def _plain(text: str) -> str:
    return _OTHER.sub(" ", text).casefold().strip()
