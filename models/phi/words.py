"""Word classes for capitalised words: names, drugs, roles, organs, function words."""

import re
from functools import cache
from pathlib import Path

LISTS = Path(__file__).parent / "lists"

_ENDINGS = re.compile(
    r"..(?:itis|[oi]sis|oses|a?emias?|ämien?|émie|uria|tomy|stomy|plasty|pathy|pathie|patía|algia|plegia|phobia|lysis|"
    r"oscopy|graphy|ographie|ografía|ogram|ometry|iatry|iatrics?|ology|ologie|ología|ologists?|otherapy|therapie|"
    r"oterapia|ectasis|trophy|cardial|vascular|statins?|[aeio]pril|sartan|olol|dipine?|prazole?|azol[eo]?|cill?ine?|"
    r"mycine?|cyclin[ae]?|floxacin[oa]?|[luxzt]i?mab|tinib|gliptine?|gliflozin|glutide|formine?|parine?|xaban|gatran|"
    r"caine|[az]epam|zolam|triptan|setron|ovir|ivir|(?:t|ét)amol|profen|oxicam|asone|isone|olone|fenac|phylline|terol|"
    r"thiazide|semide|chloride|hydrate|phosphate|sulph?ate|sulfate|citrate|tartrate|maleate|acetate|gluconate|"
    r"carbonate|oxide|[tsc]ions?|sions?|ción|zione|ments?|nesses|[^k]ness|abilit(?:y|ies)|ivit(?:y|ies)|icals?|ically|"
    r"(?:cin|lymph|sarc|lan|ngi|blast|glauc|trach|mat|aden|myx|fibr|neur|granul|gli|yel)omas?|osclerosis|"
    r"[^j]ung(?<=.{8})|keit|heit|schaft|ivirus|avirus|ovirus|bacter|coccus|cocci|(?:ot|yl|id|er|in)ase)$",
)
"""Endings of medicines, sicknesses, procedures and abstract nouns in a few languages."""

_CAMEL = re.compile(r"(?!(?:Mc|Mac|De|Di|Da|Du|La|Le|Van|Von|Fitz)\w)\w*[a-zß-ÿ][A-Z]")
SICKNESS = re.compile(
    r"(?:['’]s)?[ -](?:disease|syndrome|palsy|sign|score|criteria|test|lymphoma|thyroiditis|phenomenon)", re.I
)
"""What follows the name of a physician who is nobody's patient."""

_POSSESSIVE = re.compile(r"['’]s$")


def folded(word: str) -> str:
    """Return a word as the lists have it: in small letters, without a possessive's ending."""
    return _POSSESSIVE.sub("", word).casefold().strip(".").replace("’", "'")


@cache
def listed(name: str) -> frozenset[str]:
    """Read a list of words: those in lines without `#`; one in capitals means the abbreviation alone."""
    lines = (LISTS / f"{name}.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def is_given_name(word: str) -> bool:
    """Tell whether a word, or the first half of a double name, is a common given name."""
    word = folded(word)
    return word not in listed("never_names") and (
        word in listed("given_names") or ("-" in word and word.partition("-")[0] in listed("given_names"))
    )


def is_never_a_name(word: str) -> bool:
    """Tell whether a capitalised word is a medicine, a role, an organ, a brand or a small word."""
    if word.endswith("."):
        return False
    plain = folded(word)
    if {plain, word.casefold(), word} & listed("never_names") or _CAMEL.match(word):
        return True
    if "-" in plain and any(half in listed("never_names") for half in plain.split("-")[1:]):
        return True
    return plain not in listed("given_names") and _ENDINGS.search(plain) is not None


def is_seldom_a_name(word: str) -> bool:
    """Tell whether a word is no name unless something strong, such as a title, says so."""
    return is_never_a_name(word) or bool({folded(word), word.casefold()} & listed("seldom_names"))


def is_eponym(word: str) -> bool:
    """Tell whether a sickness, a score or a brand bears this physician's name."""
    return folded(word) in listed("eponyms")
