"""Items that a cross denies: in a list of ticks and crosses, "❌ Ibuprofen" says the opposite of "✅ Ibuprofen"."""

import re
from collections.abc import Sequence
from itertools import groupby

from medassay.models.text.language.verbs import IMPERATIVES, has_finite_verb
from medassay.models.text.layout.blocks import Block

_TICKS, _CROSSES = frozenset("✓✔✅☑"), frozenset("✗✖❌")
_SAYS_SO = re.compile(
    r"\b(?:not?|never|avoid(?:ed)?|don['’]t|without|unsafe|contraindicated|stop|skip"
    r"|n['’]\w+|ne|pas|jamais|interdit\w*|évite[rz]?|nicht|kein\w*|niemals?|vermeid\w+|nunca|evit[ae]\w*|no\sse)\b",
    re.IGNORECASE,
)


def crossed_items(text: str, body: Sequence[Block]) -> frozenset[int]:
    """Find where the items begin that have a cross among others with ticks; among crosses only, it is a bullet."""
    found: set[int] = set()
    for kind, run in groupby(body, key=lambda block: block.kind):
        signs = {block.start: text[block.start] for block in run} if kind == "bullet" else {}
        if not _TICKS.isdisjoint(signs.values()):
            found |= {start for start, sign in signs.items() if sign in _CROSSES}
    return frozenset(found)


def denied(words: str) -> str:
    """Word a crossed item: "not: Ibuprofen"; one that denies or states something itself is left as it is."""
    first = words.partition(" ")[0].casefold()
    if _SAYS_SO.search(words) or (has_finite_verb(words) and first not in IMPERATIVES):
        return words
    return f"not: {words}"
