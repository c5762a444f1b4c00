"""The words that a list hangs on, and whether an item means anything without them."""

import re
from dataclasses import dataclass

from medassay.models.text.language.offers import offers_a_list
from medassay.models.text.language.verbs import (
    AUXILIARIES,
    PREPOSITIONS,
    SUBORDINATORS,
    has_finite_verb,
    lacks_subject,
    starts_with_verb,
)
from medassay.models.text.layout.headings import introduces

ANNOUNCES = re.compile(
    r"\b(?:following|follows|below|here (?:is|are)|these (?:are|include)|include|includes"
    r"|including)\W*$|\bthe following\b|^\W*there are (?:\w+ ){1,2}(?:main |major |common )?(?:\w+s)\W*$",
    re.IGNORECASE,
)
"""What says that more is to come."""
_CONDITION = r"(?:if|unless|until|when(?:ever)?(?! it comes to)|in case|as soon as|provided(?: that)?)"
_OPENS_CONDITION = re.compile(rf"[\W_]*{_CONDITION}\b[^,]*$", re.IGNORECASE)
_LAST_CONDITION = re.compile(rf".*\b(?:{_CONDITION}|who|that|which|whose)\b(?P<rest>[^,;]*)$", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\s*(?:needed|necessary|possible|required|\w{3,}(?:ed|ing))\b", re.IGNORECASE)
_OF_THE_FOLLOWING = re.compile(
    rf"\b(?:{_CONDITION}|in|under|with|for|by|from|of|not|never|avoid|\w+n't)\b"
    r"[^,;]*\b(?:(?:the|these) following|following \w+|(?:any|one|some|all|both|two|three|more)(?: of)? these)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:(?:do|does|should|must|may)(?:n't| not)|can(?:'t| ?not)|don'ts|not to|never|avoid(?:ed|ing)?|contraindicated"
    r"|(?:mistakes?|myths?|misconceptions?|wrong)\b(?! (?:diagnos|with)))\b|\bno[nt] recommended\b",
    re.IGNORECASE,
)
_CONTRAINDICATES = re.compile(r"\bcontraindications?\b", re.IGNORECASE)
_DENIES = re.compile(r"\W*(?:don't|do not|never|avoid|no|not|instead)\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W\d_](?:[^\W_]|['’-](?=[^\W_]))*)\W*$")
_ENDS_NOTHING = (
    AUXILIARIES
    | PREPOSITIONS
    | SUBORDINATORS
    | frozenset("not never avoid and or be include includes included".split())
) - frozenset("is are was were do does did has have had it's they're there's up due such".split())
# "If you have:", "when you notice:".
_WANT_AN_OBJECT = AUXILIARIES | frozenset(
    "develop develops experience experiences notice notices get feel feels take takes use uses"
    " suffer show shows".split()
)
_LONGEST = 300
_ASKS = re.compile(
    r"[\W\d_]*(?:who|what|which|when|why|how|where)\b(?!.*\b(?:(?:do|did|are|were|have) you (?:have|had|take|taken"
    r"|taking|feel|use|using|been|currently|now)|(?:is|are|was|were) your)\b).*[?？][\W_]*",
    re.IGNORECASE,
)
_NAMES_EFFECTS = re.compile(
    r"[\W\d_]*(?:(?:the|key|main|major|potential|possible|common|some) )*(?:pros|cons|benefits|advantages|disadvantages"
    r"|upsides|downsides|drawbacks|risks|harms|(?:side |adverse )?effects)\b(?! in\b)[^.:]*",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"(?:yes|no)(?:,| [–—-]) |(?:not )?(?:usually|generally|always|necessarily|often|typically|normally)(?: not)?\W*$"
    r"|(?:rarely|sometimes|usually not|not (?:at all|yet))\W*$"
    r"|not (?:in|for|with|at|on|under|after|before|during|by|from|to)\b[^:;]{2,120}$"
    r"|(?:with|by|through|via|within|after|before|for|at|up to|about|around|once|twice|every|only) [^:;]{2,120}$",
    re.IGNORECASE,
)
# "On NSAIDs? → Stop them.": what to do in the case that was asked about.
ARROW = re.compile(r"\A(?:→|➡\ufe0f?|⇒|-+>|=>)\s+(?=\S)")
_ASKS_FOR_A_NAME = re.compile(r"[\W\d_]*(?:who|what|which|whom)\b", re.IGNORECASE)
_YES_IT_IS = re.compile(r"(?:yes|no),? (?:it|they|you|there|this|that) \w+(?:n't| not)?\W*", re.IGNORECASE)
_QUALIFIED = re.compile(
    r"([^,:;.–—]{3,60}?) (?P<joint>who|which|that|where) (?P<clause>[^:;]{3,120})$", re.IGNORECASE
)
_MOST_WORDS_OF_AN_EFFECT = 8
_MOST_WORDS_OF_A_TOPIC = 3
_LABEL = re.compile(r"(?P<label>[^\W\d][^:.;!?–—]{1,50}?)(?::| [–—-]) +(?=\S)")
_HANGS_ON_A_LABEL = re.compile(
    r"(?:max(?:imum)?|min(?:imum)?|usual|contraindicated|safe|unsafe|avoid|used|given|onset|duration|half-life)\b(?![^.]*:)",
    re.IGNORECASE,
)


@dataclass
class LeadIn:
    """The words that a list, and fragments in it, hang on."""

    text: str
    indent: int
    of_list: int
    above: "LeadIn | None" = None

    @property
    def is_open(self) -> bool:
        """Tell whether an item ends a claim that these words begin, or those that they stand under."""
        return is_left_open(self.text) or (self.above is not None and self.above.is_open)

    @property
    def forbids(self) -> bool:
        """Tell whether the items are what not to do or believe: each would say the opposite without these words."""
        words = self.text.replace("\u2019", "'")
        return _FORBIDS.search(words) is not None or _CONTRAINDICATES.search(words) is not None

    @property
    def offers(self) -> bool:
        """Tell whether the items are what the writer could do: none asserts anything."""
        return offers_a_list(f"{self.text}:")

    def takes(self, words: str) -> bool:
        """Tell whether an item is read with these words: a fragment, or what would say more than they allow."""
        if not words or len(self.text) > _LONGEST:
            return False
        fragment = not has_finite_verb(words) or lacks_subject(words) or _is_qualified_name(words)
        return (
            fragment
            or self.is_open
            or self.offers
            or (self.forbids and not self._is_forbidden_by(words))
            or (_NAMES_EFFECTS.fullmatch(self.text) is not None and is_effect(words))
        )

    def _is_forbidden_by(self, words: str) -> bool:
        """Tell whether an item says itself that it is not to be: "Do not use in asthma", under "Contraindications"."""
        said = words.replace("\u2019", "'")
        if _DENIES.match(said):
            return True
        return _CONTRAINDICATES.search(self.text) is not None and _FORBIDS.search(said) is not None

    def titles(self, words: str) -> bool:
        """Tell whether a paragraph under a title says nothing without it: "500 mg a day", under "Dose"."""
        return (
            self.is_open
            or lacks_subject(words)
            or words[:1].isdigit()
            or not words.endswith((".", "!", "。"))
        )

    def joined(self, words: str) -> str:
        """Word an item with what introduces it, unless that is no more than "Key points"."""
        if not introduces(self.text):
            return words
        return f"{self.text}{'' if self.text.endswith('?') else ':'} {words}"

    def introducing(self, words: str) -> str:
        """Word a line below these words that introduces a list itself."""
        fits = len(self.text) + len(words) < _LONGEST
        return self.joined(words) if fits and (self.is_open or not has_finite_verb(words)) else words


def _is_qualified_name(words: str) -> bool:
    """Tell whether the only verb is that of a clause which says what a name is: "Soreness where the shot was given"."""
    name = _QUALIFIED.match(words)
    if name is None or words.endswith((".", "!", "?")):
        return False
    first = [word.casefold() for word in name[1].split()]
    if has_finite_verb(name[1]) or starts_with_verb(first, 0):
        return False
    clause = name["clause"].split()
    verb = next((n for n in range(1, len(clause) + 1) if has_finite_verb(f"it {' '.join(clause[:n])}")), 0)
    # Of "People who smoke are at risk" the verb is not the one behind "who".
    found = verb > 0 if name["joint"].casefold() == "where" else verb == 1
    return found and not has_finite_verb(" ".join(clause[verb:]))


def is_left_open(lead: str) -> bool:
    """Tell whether words are the beginning of a claim that each item ends: "Stop it if", "in the following cases".

    "Stop it if:" and "eGFR falls below 30" say together what neither says alone; "It is approved for adults:" says
    what it says without its items, and they without it.
    """
    words = lead.replace("’", "'")
    last = _LAST_WORD.search(words)
    if last and last[1].casefold() in _ENDS_NOTHING:
        return True
    if _OPENS_CONDITION.match(words) or _OF_THE_FOLLOWING.search(words):
        return True
    opened = _LAST_CONDITION.match(words)
    if opened is None or _LEFT_OUT.match(opened["rest"]):
        return False
    rest = opened["rest"].rstrip("*_: ")
    if last and last[1].casefold() in _WANT_AN_OBJECT:
        rest = rest[: -len(last[1])]  # "if you have:"
    return not has_finite_verb(f"it {rest}")


def asks_of_the_matter(words: str) -> bool:
    """Tell whether words ask what a list answers, "Who should not take it?"; "What do you take?" asks the reader."""
    return _ASKS.fullmatch(words.replace("’", "'")) is not None


def is_effect(words: str) -> bool:
    """Tell whether words are what something does, without it: "Reduce LDL cholesterol", "Slightly raised risk"."""
    found = [word.casefold() for word in re.findall(r"[^\W\d_]+", words[:200])]
    if not found or words.endswith((".", "!")):
        return False
    return starts_with_verb(found, 0) or (found[0].endswith("ly") and len(found) <= _MOST_WORDS_OF_AN_EFFECT)


def label_of(words: str) -> str:
    """Return the label of a sentence that is no clause: "Metoprolol" of "Metoprolol – 25 mg twice daily."."""
    found = _LABEL.match(words)
    return found["label"] if found and introduces(found["label"]) and not has_finite_verb(words) else ""


def needs_label(words: str) -> bool:
    """Tell whether a sentence behind a labelled one says nothing without the label: "Max 400 mg a day."."""
    return lacks_subject(words) or (_HANGS_ON_A_LABEL.match(words) is not None and len(words.split()) <= 8)


def needs_question(question: str, words: str) -> bool:
    """Tell whether a sentence says nothing without the question before it: "Who should not? – Pregnant women."."""
    if ARROW.match(words) or only_answers(words):
        return True
    short = len(question.split()) <= _MOST_WORDS_OF_A_TOPIC  # "Aspirin? Not under 19."
    asks = short or _ASKS_FOR_A_NAME.match(question) is not None
    return asks and words.endswith(".") and not has_finite_verb(words)


def only_answers(words: str) -> bool:
    """Tell whether a sentence says nothing without the question before it: "4 g a day.", "If you have a fever."."""
    condition = re.fullmatch(r"(?:if|when|as soon as|until|because) (?P<rest>.{1,120})", words, re.IGNORECASE)
    if condition:
        return sum(has_finite_verb(f"it {part}") for part in condition["rest"].split(", ")) <= 1
    short = words[:1].isdigit() or _ANSWERS.match(words) is not None
    return (short and not has_finite_verb(words)) or _YES_IT_IS.fullmatch(words.replace("’", "'")) is not None
