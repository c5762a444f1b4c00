"""Full stops that end no sentence: those of abbreviations, initials, numbers of a list and German ordinals."""

import re

from medassay.models.text.word_lists import words_in

_STARTERS = words_in("abbreviations_starters")
_NEVER_LAST = words_in("abbreviations_never_last")
_BEFORE_NUMBER = words_in("abbreviations_before_number")
_LETTER_NAMES = words_in("abbreviations_letter_names")
# Of "N. Engl. J. Med. 2020", "Am. J. Cardiol." and "Proc. Natl. Acad. Sci.".
_JOURNAL = re.compile(
    r"(?:\b(?:J|Acta|Acad|Am|Ann|Arch|Br|Can|Clin|Engl|Eur|Int|Natl|N|Nat|Proc|Rev|Scand|Soc|Trends)\.\s)"
    r"[A-Z][a-z]{2,8}\Z"
)
_WORD_BEFORE = re.compile(r"(?:[^\W_]|[.'’/-])+\Z")
_LAST_WORD = re.compile(r"([^\W\d_]+)[\s-]+\Z")
_LIST_NUMBER = re.compile(r"(?:\A|[:;.!?)\]]\s*|,\s+|\s{2,}|(?<=\s)[*_]{1,3})\(?\d{1,2}\Z")
_COUNTED = re.compile(r"[\s*_]*(?:Step|Tip|Point|Reason|Option|Rule|Myth|Fact)\s\d{1,2}\Z")
# "jeden 2. Tag", "im 1. und 2. Trimenon"
_ORDINAL = re.compile(
    r"\b(?:(?<!\d )am|im|vom|zum|zur|beim|ab|de[rmns]|die|das|eine[rmn]?|jede[rmns]?"
    r"|\d{1,2}\. (?:und|oder|bis|bzw\.))\s(?:\d{1,2}\. (?:und|oder|bis|bzw\.) )?\d{1,2}\Z",
    re.IGNORECASE,
)
_GERMAN_MONTH = re.compile(
    r"(?:Jan(?:uar)?|Jän(?:ner)?|Feb(?:ruar)?|März|April|Mai|Juni|Juli|Aug(?:ust)?|Sept?(?:ember)?|Okt(?:ober)?"
    r"|Nov(?:ember)?|Dez(?:ember)?)\b"
)
_FIRST_OF_ALL = 4
_UNITS = frozenset("h d g y l m s w ms sec min".split())
_QUANTITY = re.compile(r"[\d½¼¾][ \u00a0\u202f]?[a-z]{1,3}\Z")
_NUMBERED = re.compile(
    r"\b(?:pp?|nos?|figs?|tabs?|vols?|sec|sect|chap|art|eq|ref)\. ?\d{1,2}\Z", re.IGNORECASE
)


def is_abbreviation(text: str, begin: int, at: int, following: str) -> bool:
    """Tell whether the full stop at `at` belongs to a word, given the word behind it."""
    found = _WORD_BEFORE.search(text, max(begin, at - 40), at)
    word = found[0].lstrip(".'’-") if found else ""
    low = word.casefold()
    starts = following.strip("\"'“‘(*_,").casefold().rstrip(",:") in _STARTERS
    if low in _UNITS and _QUANTITY.search(text, max(begin, at - 16), at):
        return False
    if low in _NEVER_LAST or low.endswith("-adj"):
        return not (low == "al" and starts) or low in ("e.g", "i.e", "vs")
    if low in _BEFORE_NUMBER and following[:1].isdigit():
        return True
    if word[:1].isupper() and (following[:2] == "J." or _JOURNAL.search(text, max(begin, at - 20), at)):
        return not starts
    if word in ("Q", "A") and at - begin < _FIRST_OF_ALL:
        return True  # "Q. Is it safe?", "A. In adults, yes."
    if low == "vit" and re.match(r"[A-K]\d*\b", following):
        return True
    if word.isdigit():
        if _COUNTED.match(text, begin, at):
            return True
        if len(word) <= 2 and _is_ordinal(text, begin, at, following):
            return True
        return (
            len(word) <= 2
            and not _NUMBERED.search(text, max(begin, at - 16), at)
            and _LIST_NUMBER.search(text, max(0, at - 6), at) is not None
            and (
                at - len(word) - begin < 3
                or text[at - len(word) - 2 : at - len(word)].strip()[-1:] in ":;,.!?)*_"
            )
        )
    if len(word) == 1 and word.isalpha() and word.isupper():
        if text[begin:at].endswith(f"°{word}"):
            return False
        previous = _LAST_WORD.search(text, max(begin, at - 32), at - 1)
        if previous is None:
            return not starts
        return not (starts or previous[1].casefold() in _LETTER_NAMES)
    if len(word) == 1 and word.isalpha():
        return not starts
    if re.fullmatch(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}", word):
        return not starts if any(c.isupper() for c in word) else not following[:1].isupper()
    if low in ("inc", "ltd", "co", "corp", "jr", "sr", "dept", "univ", "ext"):
        return not starts
    return False


def _is_ordinal(text: str, begin: int, at: int, following: str) -> bool:
    """Tell whether a number before a stop is a German ordinal: "am 12. Januar", "Nach der 3. Dosis"."""
    if _GERMAN_MONTH.match(following):
        return True
    return following[:1].isupper() and _ORDINAL.search(text, max(begin, at - 24), at) is not None
