"""Display names of states, and cautions beside numbers."""

import re
from collections.abc import Iterable
from typing import NamedTuple

STATES = {
    "covered": ("Covered", "A claim states this nugget rightly."),
    "partial": (
        "Partial",
        "Some parts of the nugget are stated, or of the claim entailed; none is contradicted.",
    ),
    "contradicted": ("Contradicted", "A claim speaks of this nugget and turns it around."),
    "missing": ("Missing", "No claim speaks of this nugget."),
    "correct": ("Correct", "The claim states a nugget of the reference rightly."),
    "contradicts": ("Contradicts", "It says the opposite of the reference or of the source."),
    "unmatched": (
        "Not in the reference",
        "The reference says nothing of this claim: it is neither right nor wrong.",
    ),
    "non_claim": ("Not a claim", "A greeting, a heading, a question or advice: counted apart."),
    "supports": ("Supports", "The source entails the claim."),
    "neutral": ("Does not say", "The source neither supports nor contradicts the claim."),
    "not_found": ("Not found", "A source that answers has no such record: the citation is likely made up."),
    "untraceable": ("Untraceable", "A bare marker with nothing behind it."),
    "unverifiable": ("Unverifiable", "It exists but its text could not be had, or no source could be asked."),
}
CITATION_STATES = (
    "supports",
    "partial",
    "neutral",
    "contradicts",
    "not_found",
    "untraceable",
    "unverifiable",
)


class NotedNumber(NamedTuple):
    """A number of a system, and what has to be known of it, empty where nothing is."""

    metric: str
    system: str
    caution: str


_FEW = re.compile(r"^only (\d+) ")
_LONGEST_NAMES = 60


def said_in_a_line(numbers: Iterable[NotedNumber], width: int | None = None) -> str:
    """Write all cautions in one line; what is true of most numbers, or of too many to name, is counted.

    Of more than `width` characters the least are only counted. `said_once` names them all.
    """
    known = list(numbers)
    kinds: dict[str, list[NotedNumber]] = {}
    for number in known:
        if number.caution:
            kinds.setdefault(_FEW.sub("only … ", number.caution), []).append(number)
    parts = []
    for of_kind in sorted(kinds.values(), key=len, reverse=True):
        kind = set(of_kind)
        (line,) = said_once(number if number in kind else number._replace(caution="") for number in known)
        whose, _, caution = line.partition(": ")
        if 2 * len(of_kind) > len(known):
            whose = "all numbers" if len(of_kind) == len(known) else "most numbers"
        elif len(whose) > _LONGEST_NAMES:
            whose = f"{len(of_kind)} of {len(known)} numbers"
        parts.append(f"{whose}: {caution}")
    line = "; ".join(parts)
    for n_said in range(len(parts) - 1, -1, -1):
        if width is None or len(line) <= width:
            break
        left_out = f"{len(parts) - n_said} {'more' if n_said else 'cautions'}: see the report"
        line = "; ".join([*parts[:n_said], left_out])
    return line[:1].upper() + line[1:]


def said_once(numbers: Iterable[NotedNumber]) -> list[str]:
    """Write a line a caution: the metrics it is true of, behind them the systems where it is not true of all.

    Cautions that differ in how few units they speak of are one, with the least and the most.
    """
    systems: dict[str, list[str]] = {}
    told: dict[str, dict[str, list[str]]] = {}
    few: dict[str, set[int]] = {}
    for metric, system, caution in numbers:
        systems.setdefault(metric, []).append(system)
        if caution:
            kind = _FEW.sub("only … ", caution)
            told.setdefault(kind, {}).setdefault(metric, []).append(system)
            few.setdefault(kind, set()).update(map(int, _FEW.findall(caution)))
    lines = []
    for kind, metrics in told.items():
        whose: dict[str, list[str]] = {}
        for metric, of in metrics.items():
            whose.setdefault("" if of == systems[metric] else f" of {', '.join(of)}", []).append(metric)
        of_what = "; ".join(f"{', '.join(names)}{of}" for of, names in whose.items())
        ends = sorted(few[kind])
        number = " to ".join(str(end) for end in dict.fromkeys([*ends[:1], *ends[-1:]]))
        lines.append(f"{of_what}: {kind.replace('…', number, 1) if ends else kind}")
    return lines
