"""Contrast pairs by rule: direction, negation, number, population, comparator."""

import random
import re
from collections.abc import Callable, Sequence

_OPPOSITES = """
increased/decreased | increase/decrease | increases/decreases | increasing/decreasing | higher/lower |
highest/lowest | greater/smaller | more/fewer | reduced/raised | reduces/raises | reduce/raise |
reduction/increase | improved/worsened | improves/worsens | improve/worsen | improvement/worsening |
elevated/lowered | upregulated/downregulated | up-regulated/down-regulated | upregulation/downregulation |
enhanced/impaired | enhances/impairs | activates/inhibits | activated/inhibited | activation/inhibition |
promotes/prevents | promoted/prevented | promote/prevent | induced/suppressed | induces/suppresses |
longer/shorter | prolonged/shortened | prolongs/shortens | better/worse | superior/inferior |
positive/negative | effective/ineffective | safe/unsafe | early/late | earlier/later | before/after |
common/rare | frequent/infrequent | gain/loss | stronger/weaker | faster/slower | stimulates/inhibits |
stimulated/inhibited | beneficial/harmful | benefit/harm | protective/harmful | high/low | rich/poor |
sensitive/resistant | causes/prevents | cause/prevent | accelerates/slows | accelerated/slowed | rises/falls
| rose/fell | above/below | maximum/minimum | with/without | present/absent | acute/chronic |
likely/unlikely | recommended/contraindicated | safe/dangerous | favourable/unfavourable |
favorable/unfavorable | susceptible/resistant | necessary/unnecessary | sufficient/insufficient
"""
OPPOSITE: dict[str, str] = {}
for _pair in re.split(r"[|\s]+", _OPPOSITES.strip(" |\n")):
    _one, _other = _pair.split("/")
    OPPOSITE.setdefault(_one, _other)
    OPPOSITE.setdefault(_other, _one)

SYNONYM: dict[str, Sequence[str]] = {
    "increased": ("raised", "elevated", "greater"),
    "increase": ("rise",),
    "increases": ("raises", "elevates"),
    "decreased": ("reduced", "lowered"),
    "decrease": ("reduction", "fall"),
    "decreases": ("reduces", "lowers"),
    "reduced": ("decreased", "lowered", "diminished"),
    "reduces": ("lowers", "decreases"),
    "reduce": ("lower", "decrease"),
    "higher": ("greater", "increased"),
    "lower": ("reduced", "smaller"),
    "greater": ("larger", "higher"),
    "improved": ("bettered", "enhanced"),
    "improves": ("betters", "enhances"),
    "associated": ("linked", "related"),
    "demonstrated": ("showed",),
    "showed": ("demonstrated", "revealed"),
    "patients": ("people", "individuals"),
    "inhibits": ("blocks", "suppresses"),
    "inhibited": ("blocked", "suppressed"),
    "induces": ("causes", "triggers"),
    "promotes": ("favours", "fosters"),
    "effective": ("efficacious",),
    "treatment": ("therapy",),
    "therapy": ("treatment",),
    "children": ("kids", "young people"),
    "common": ("frequent",),
    "mortality": ("death rate",),
    "results": ("findings",),
    "suggest": ("indicate", "imply"),
    "longer": ("more prolonged",),
    "risk": ("likelihood",),
    "require": ("need",),
    "similar": ("comparable",),
}
_POPULATIONS = (
    ("men", "women"), ("male", "female"), ("boys", "girls"), ("children", "adults"), ("mice", "patients"),
    ("newborns", "adults"), ("infants", "older adults"), ("elderly", "young"), ("older", "younger"),
    ("pregnant", "non-pregnant"), ("smokers", "non-smokers"), ("mothers", "fathers"), ("males", "females"),
    ("type 1", "type 2"), ("human", "mouse"), ("obese", "lean"), ("adolescents", "older adults"),
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_NUMBER = re.compile(
    r"(?<![\w.\-–])\d+(?:\.\d+)?(?![\w.\-–]*\d)"
    r"(?=[\s%)]| ?(?:mg|g|ml|kg|years?|weeks?|days?|months?|hours?)\b)"
)
_AUXILIARY = r"\b(is|are|was|were|has|have|had|can|could|may|might|will|would|should|does|do|did)"
_FIRST_VERB = re.compile(_AUXILIARY + r"\b(?!\s+(?:not|no|never)\b)")
_NEGATED = re.compile(_AUXILIARY + r" not\b|\bcannot\b")
_NO = re.compile(
    r"\bno (significant |statistically significant )?"
    r"(?=difference|effect|association|change|increase|decrease|evidence|benefit)"
)
_ASIDE = re.compile(r"\s*\([^()]*\)")
LEAD = re.compile(
    r"^(?:in conclusion|in summary|overall|furthermore|moreover|in addition|additionally|however|thus|therefore|"
    r"taken together|these (?:results|data|findings) (?:suggest|indicate|show|demonstrate) that|"
    r"we (?:found|show|showed|demonstrate|conclude|report) that|"
    r"our (?:results|data|findings) (?:suggest|indicate|show|demonstrate) that|results|conclusions?|here)[,:]?\s+",
    re.I,
)
_TAIL = re.compile(r",\s+(?:which|suggesting|indicating|whereas|while|although|but|and)\b[^,]*\.?$|;\s[^;]*$")

Turn = Callable[[str, random.Random], str | None]


def turn_direction(text: str, chance: random.Random) -> str | None:
    """Swap one word for its opposite; None where there is none."""
    places = [m for m in _WORD.finditer(text) if m[0].lower() in OPPOSITE]
    if not places or len(places) > 4:
        return None
    if any(m[0].lower() in ("with", "before", "after", "high", "low") for m in places) and len(places) > 1:
        places = [
            m for m in places if m[0].lower() not in ("with", "before", "after", "high", "low")
        ] or places
    return _put(text, chance.choice(places), lambda w: OPPOSITE[w])


def turn_negation(text: str, chance: random.Random) -> str | None:
    """Take a negation away, or put one behind the first auxiliary."""
    if m := _NEGATED.search(text):
        return text[: m.start()] + ("can" if m[0] == "cannot" else m[1]) + text[m.end() :]
    if m := _NO.search(text):
        return text[: m.start()] + "a " + (m[1] or "") + text[m.end() :]
    if m := _FIRST_VERB.search(text):
        return text[: m.end()] + " not" + text[m.end() :]
    return None


def turn_number(text: str, chance: random.Random) -> str | None:
    """Change one number by enough to matter, in the number's own form."""
    places = list(_NUMBER.finditer(_ASIDE.sub(lambda m: " " * len(m[0]), text)))
    if not places:
        return None
    m = chance.choice(places)
    value = float(m[0]) * chance.choice((0.1, 0.25, 0.5, 2.0, 3.0, 5.0, 10.0))
    decimals = len(m[0].partition(".")[2])
    new = f"{value:.{decimals}f}"
    return None if float(new) == float(m[0]) else text[: m.start()] + new + text[m.end() :]


def turn_population(text: str, chance: random.Random) -> str | None:
    """Put another population in the place of the one that was studied."""
    lowered = text.lower()
    found = [
        (a, b) for pair in _POPULATIONS for a, b in (pair, pair[::-1]) if re.search(rf"\b{a}\b", lowered)
    ]
    if len(found) != 1:
        return None
    old, new = found[0]
    return re.sub(rf"\b{old}\b", new, text, flags=re.I)


_VERBS = (
    "increase reduce decrease inhibit improve predict promote regulate induce control mediate prevent enhance cause "
    "drive suppress protect activate modulate affect influence impair restore block contribute require lower limit "
    "accelerate attenuate delay determine enable facilitate maintain stimulate support trigger link favor favour"
)
_THIRD_PERSON = re.compile(rf"\b({'|'.join(_VERBS.split())})s\b")


def turn_verb(text: str, chance: random.Random) -> str | None:
    """Deny the first verb of the third person: "X regulates Y" becomes "X does not regulate Y"."""
    m = _THIRD_PERSON.search(text)
    return f"{text[: m.start()]}does not {m[1]}{text[m.end() :]}" if m else None


_COMPARISON = re.compile(
    r"\b(higher|lower|greater|more|less|better|worse|longer|shorter|superior|inferior)\b(?=.{0,60}?\b(?:than|to)\b)"
)


def turn_comparator(text: str, chance: random.Random) -> str | None:
    """Turn the comparison of "A … higher … than B" around."""
    turned = {"more": "less", "less": "more"}
    m = _COMPARISON.search(text)
    return _put(text, m, lambda word: turned.get(word) or OPPOSITE[word]) if m else None


def shorten(text: str, chance: random.Random) -> str | None:
    """Shorten a claim: without asides, lead-in and trailing clause."""
    short = LEAD.sub("", _ASIDE.sub("", text))
    if chance.random() < 0.6:
        short = _TAIL.sub(".", short)
    short = short.strip()
    if len(short.split()) < 5:
        return None
    return short[0].upper() + short[1:] if short != text else None


def reword(text: str, chance: random.Random) -> str | None:
    """Swap up to three words for words that mean the same."""
    places = [m for m in _WORD.finditer(text) if m[0].lower() in SYNONYM]
    if not places:
        return None
    for m in sorted(chance.sample(places, min(3, len(places))), key=lambda m: -m.start()):
        text = _put(text, m, lambda w: chance.choice(list(SYNONYM[w])))
    return text


def _put(text: str, place: re.Match[str], new: Callable[[str], str]) -> str:
    word = place[0]
    swapped = new(word.lower())
    return (
        text[: place.start()] + (swapped.capitalize() if word[0].isupper() else swapped) + text[place.end() :]
    )


TURNS: tuple[Turn, ...] = (turn_direction, turn_negation, turn_number, turn_population, turn_comparator)
