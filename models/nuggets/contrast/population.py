"""Population: children against adults, women against men, pregnant or not, impaired kidneys or not."""

import re
from functools import lru_cache

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys, words

# axis → group → (the atoms it covers, how it is said); groups with no atom in common exclude each other
AXES: dict[str, dict[str, tuple[frozenset[str], str]]] = {
    "age": {
        "infants": (frozenset({"infant"}), r"infants?|newborns?|neonat\w+|bab(?:y|ies)"),
        "children": (
            frozenset({"infant", "child", "teen"}),
            r"child(?:ren)?|p(?:a)?ediatric|kids|toddlers?|boys|girls",
        ),
        "adolescents": (frozenset({"teen"}), r"adolescents?|teenagers?"),
        "young adults": (frozenset({"young"}), r"young\sadults?|younger\sadults?"),
        "older adults": (
            frozenset({"old"}),
            r"older\s(?:adults?|people|patients|women|men)|elderly|aged\s65|geriatric",
        ),
        "adults": (frozenset({"young", "middle", "old"}), r"adults?"),
    },
    "sex": {
        "women": (frozenset({"women"}), r"wom[ae]n|females?|mothers?|girls"),
        "men": (frozenset({"men"}), r"m[ae]n|males?|boys"),
    },
    "pregnancy": {
        "not pregnant": (frozenset({"no"}), r"non-?\s?pregnant|not\spregnant"),
        "pregnant": (frozenset({"yes"}), r"pregnant|pregnancy"),
    },
    "kidneys": {
        "impaired": (
            frozenset({"impaired"}),
            r"(?:renal|kidney)\s(?:impairment|failure|insufficiency|disease)|impaired\s(?:renal|kidney)\sfunction",
        ),
        "normal": (frozenset({"normal"}), r"normal\s(?:renal|kidney)\sfunction|healthy\skidneys"),
    },
    "liver": {
        "impaired": (
            frozenset({"impaired"}),
            r"(?:hepatic|liver)\s(?:impairment|failure|insufficiency|disease)|impaired\s(?:hepatic|liver)\sfunction",
        ),
        "normal": (frozenset({"normal"}), r"normal\s(?:hepatic|liver)\sfunction|healthy\slivers?"),
    },
    "immunity": {
        "weak": (frozenset({"weak"}), r"immuno-?compromised|immuno-?suppressed|weakened\simmune"),
        "normal": (frozenset({"normal"}), r"immuno-?competent|healthy\simmune"),
    },
}
CLOSE = 0.6
"""Much is said of children and of adults; only nearly the same words make it the same statement."""

PATTERNS = {
    axis: re.compile(
        r"\b(?:" + "|".join(f"(?P<g{n}>{said})" for n, (_, said) in enumerate(groups.values())) + r")\b", re.I
    )
    for axis, groups in AXES.items()
}


@lru_cache(maxsize=65536)
def populations(text: str) -> dict[str, tuple[frozenset[str], int, int]]:
    """Find whom a text speaks of: axis → (atoms covered, place of the first mention)."""
    found: dict[str, tuple[frozenset[str], int, int]] = {}
    for axis, pattern in PATTERNS.items():
        groups = list(AXES[axis].values())
        for match in pattern.finditer(text):
            atoms = groups[int(str(match.lastgroup)[1:])][0]
            before = found.get(axis)
            found[axis] = (
                (atoms, match.start(), match.end()) if before is None else (before[0] | atoms, *before[1:])
            )
    return found


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the same is said of groups that exclude each other."""
    mine, theirs = populations(nugget), populations(claim)
    for axis in mine:
        if axis not in theirs or mine[axis][0] & theirs[axis][0]:
            continue
        (_, a, b), (_, c, d) = mine[axis], theirs[axis]
        ignore = frozenset(key for text in (nugget[a:b], claim[c:d]) for key in keys(words(text)))
        if same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, ignore, before) >= CLOSE:
            return Contrast(
                "population", f"nugget says *{nugget[a:b]}*, answer says *{claim[c:d]}*", (a, b), (c, d)
            )
    return None
