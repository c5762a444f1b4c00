"""Footnotes that stars or raised letters mark: `It works.*` over a line `* Smith J. … PMID: 123`."""

import re

from medassay.models.text.identifiers.reading import atoms
from medassay.models.text.language.verbs import has_finite_verb

_NOTE = re.compile(r"^[ \t]{0,3}(?P<stars>\*{1,3})[ \t]?(?=[^\s*])(?P<said>[^\n]{8,600})$", re.MULTILINE)
_EMPHASISED = re.compile(r"(?<![*\w])(?P<stars>\*{1,3})(?=[^\s*])[^*\n]{1,300}(?<=[^\s*])(?P=stars)(?![*\w])")
_MARKS = tuple(re.compile(rf"(?<=[\w.,;:!?)\]%”\"]){sign}(?![*\w])") for sign in (r"\*", r"\*\*", r"\*\*\*"))
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SIGNS = "†¶§‡"
_LETTERS, _RAISED, _DIGITS = "abcdefghi", "ᵃᵇᶜᵈᵉᶠᵍʰⁱ", "¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_MARK = re.compile(rf"(?<=[\w.,;:!?)\]%”\"])[{_RAISED}]+")
_LETTERED_NOTE = re.compile(
    rf"^[ \t>*-]{{0,6}}(?:(?P<raised>[{_RAISED}])[ \t]?|[\[(]?(?P<plain>[a-i])[.)\]][ \t]+)(?P<said>\S[^\n]{{8,600}})$",
    re.MULTILINE,
)


def with_daggers(text: str) -> str:
    """Write the stars of footnotes as daggers, or as a sign the text lacks; the text keeps its length.

    They are footnotes where lines that name sources begin with one star, two, three, in order and each once, so that
    they are no bullets, and where each mark stands behind words above them.
    """
    if "*" not in text:
        return text
    notes = list(_NOTE.finditer(text))
    if not notes or [len(note["stars"]) for note in notes] != list(range(1, len(notes) + 1)):
        return text
    if not all(_names_a_source(note["said"]) for note in notes):
        return text
    sign = next((sign for sign in _SIGNS if sign not in text), "")
    if not sign:
        return text
    above = notes[0].start()
    taken = [found.span() for found in _EMPHASISED.finditer(text, 0, above)]
    signs = list(text)
    for note in notes:
        stars = len(note["stars"])
        marks = [
            mark
            for mark in _MARKS[stars - 1].finditer(text, 0, above)
            if not any(start <= mark.start() < end for start, end in taken)
        ]
        if not marks:
            return text
        for found in (*(mark.span() for mark in marks), note.span("stars")):
            signs[found[0] : found[1]] = sign * stars
    return "".join(signs)


def _names_a_source(said: str) -> bool:
    return bool(atoms(said)) or (_YEAR.search(said) is not None and not has_finite_verb(said))


def with_raised_letters(text: str) -> str:
    """Write raised letters and the labels of their notes as numbers, `¹` for `ᵃ`; the text keeps its length.

    They mark notes where lines that name sources begin with these letters, in order and each once; of a table's
    `ᵃ p < 0.05` nothing is a source.
    """
    marks = (
        {sign for mark in _RAISED_MARK.findall(text) for sign in mark}
        if any(s in text for s in _RAISED)
        else None
    )
    if not marks or any(digit in text for digit in _DIGITS):
        return text
    notes = [note for note in _LETTERED_NOTE.finditer(text) if _names_a_source(note["said"])]
    places = [_RAISED.index(n["raised"]) if n["raised"] else _LETTERS.index(n["plain"]) for n in notes]
    if not notes or places != list(range(len(notes))) or not marks <= set(_RAISED[: len(notes)]):
        return text
    signs = list(text.translate(str.maketrans(_RAISED, _DIGITS)))
    for place, note in zip(places, notes, strict=True):
        if note["plain"]:
            signs[note.start("plain")] = str(place + 1)
    return "".join(signs)
