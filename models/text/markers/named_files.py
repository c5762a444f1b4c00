"""Files cited by their names: `[Source: a.pdf; b.pdf]`, `[label.pdf, p. 4]`."""

import re

from models.text.markers.marks import Marker, Target

_FILE = (
    r"(?P<name>[^\W_][^\s;,()\[\]{}|<>]{0,120}"
    r"\.(?:pdf|docx?|odt|rtf|txt|md|html?|pptx?|xlsx?|csv|tsv|jsonl?|xml|epub))"
)
_PLACE = (
    r"(?:[,:]?\s?[(#]?(?:pp?\b\.?|pages?|S\.|Seiten?|§{1,2}|sect(?:ion)?s?\b\.?|slides?|chunks?"
    r"|lines?|paragraphs?|para\b\.?)"
    r"[\s=]?\s?[\w.–-]{1,12}\)?){0,2}"
)
_LEAD = re.compile(
    r"\s*(?:(?:see(?:\salso)?|cf\.?|from|siehe|vgl\.)\s+)?"
    r"(?:(?:sources?|ref(?:erence)?s?|citations?|files?|documents?|docs?|quellen?|fuentes?|fonti?|kontext|context)\s?[:：]\s*)?",
    re.IGNORECASE,
)
_ONE = re.compile(rf"{_FILE}{_PLACE}", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:[;,|&+]|\band\b|\bund\b)\s*", re.IGNORECASE)


def named_files(text: str, first: int, start: int, end: int, last: int) -> Marker | None:
    """Read text[start:end], the inside of a bracket, as names of files and no more; where in a file is left out."""
    targets: list[Target] = []
    lead = _LEAD.match(text, start, end)
    at = lead.end() if lead else start
    while one := _ONE.match(text, at, end):
        targets.append(Target(text[at : one.end()], None, f"named:{one['name']}", at, one.end()))
        if not text[one.end() : end].strip():
            return Marker(first, last, "named", tuple(targets))
        joined = _NEXT.match(text, one.end(), end)
        if joined is None:
            return None
        at = joined.end()
    return None
