"""Names of files, as retrieval systems cite documents: `label.pdf, p. 4`, `file_name: label.pdf, page_label: 4`."""

import re
from dataclasses import dataclass

# "Granger 2011.pdf": words of a name have capitals or digits.
_WORDS = r"(?:(?-i:[A-Z\d])[\w.&’-]{0,40}\s(?:(?:of|and|for|in|the|on)\s)?){0,8}"
FILE_NAME = (
    rf"{_WORDS}[^\W_][^\s;,()\[\]{{}}|<>`\"“”*]{{0,120}}"
    r"\.(?:pdf|docx?|odt|rtf|txt|md|html?|pptx?|xlsx?|csv|tsv|jsonl?|xml|epub)"
)
"""The name of a file; letters of either case."""
_NAME = rf"[`\"“'*_]{{0,3}}(?P<name>{FILE_NAME})(?![\w-])[`\"”'*_]{{0,3}}"
_LINES = r"(?::\d{1,5}(?:-\d{1,5})?(?!\w))?"
_PLACE = (
    r"(?:[,:|]?\s?(?:[–—|-]\s)?[(#]?(?:pp?\b\.?|pages?|S\.|Seiten?|§{1,2}|sect(?:ion)?s?\b\.?|slides?|chunks?"
    r"|lines?|paragraphs?|para\b\.?|score|relevance)[\s=:]{0,2}[\w.–-]{1,12}(?:,\s?\d{1,4}){0,6}\)?){0,2}"
)
# What LlamaIndex and LangChain show of a node: "doc_id: 12, file_name: w.pdf, page_label: 4, score: 0.83".
_FIELD = r"['\"]?[A-Za-z][A-Za-z_ ]{0,20}['\"]?\s?[:=]\s?[^,;|\s]{1,60}"
_NODE = re.compile(
    rf"\s*[*_{{(]{{0,2}}(?:{_FIELD}\s?[,;|]\s?){{0,6}}"
    rf"['\"]?(?:file(?:[_ ]?(?:name|path))?|source)['\"*_]{{0,3}}\s?[:=]\s?{_NAME}"
    rf"(?:\s?[,;|]\s?{_FIELD}){{1,8}}[)}}]?\s*",
    re.IGNORECASE,
)
_ONE = re.compile(rf"{_NAME}{_LINES}{_PLACE}", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:[;,|&+·]|\band\b|\bund\b)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by its name, and the span that says so, with the place in it."""

    name: str
    start: int
    end: int


def files_in(text: str, start: int = 0, end: int | None = None) -> tuple[NamedFile, ...]:
    """Read text[start:end] as names of files and no more; empty where other words stand there."""
    stop = len(text) if end is None else end
    if node := _NODE.fullmatch(text, start, stop):
        return (NamedFile(node["name"], start, stop),)
    found: list[NamedFile] = []
    at = start + len(text[start:stop]) - len(text[start:stop].lstrip())
    while one := _ONE.match(text, at, stop):
        found.append(NamedFile(one["name"], at, one.end()))
        if not text[one.end() : stop].strip(" \t\n.*_`"):
            return tuple(found)
        joined = _NEXT.match(text, one.end(), stop)
        if joined is None:
            return ()
        at = joined.end()
    return ()
