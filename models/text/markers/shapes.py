r"""The shapes of citation markers, in one table: name, pattern, example, and what the marker resolves to.

The groups of a pattern hold what is read: `numbers` labels with lists and ranges, `names` authors with the year in
`year`, `title` and `address` a link, `works` names of sources. To add a shape, add a row, and a case from a real answer
in tests/text.
"""

import re
from dataclasses import dataclass
from typing import Literal

from medassay.models.text.authors import AND, DATED, ET_AL, INITIALS, NAME

_KIND = (
    r"(?:ref(?:erence)?s?\.?|sources?|citations?|cite|doc(?:ument)?s?|passages?|context|snippets?"
    r"|chunks?|excerpts?|web"
    r"|id|search\s?results?|footnotes?|notes?)"
)
_NUMBER = r"\d{1,8}"
_RANGE = rf"{_NUMBER}(?:\s?[–—‐‑-]\s?{_NUMBER})?"
_PLACE = (
    r"(?:,?\s(?:pp?\.|pages?|sections?|chapters?|tables?|figs?\.?|figures?|§)\s?[\w.–-]{1,12}(?:"
    r"(?:,\s|\sand\s)\d+)*|†[^\[\]【】\n]{0,80})"
)
_LABEL = rf"(?:{_KIND}[\s:_#=-]{{0,2}})?[#^]?{_RANGE}(?:{_PLACE})?"
_SEPARATOR = r"\s?(?:[,;&/|]|,?\s(?:and|&)\s)\s?"
NUMBERS = rf"{_LABEL}(?:{_SEPARATOR}{_LABEL}){{0,40}}"
_RAISED = r"[⁰¹²³⁴-⁹]{1,4}(?:[\s,;˒ʼᐟ’⸴·–—‐‑⁻-]{1,2}[⁰¹²³⁴-⁹]{1,4}){0,30}"
_AUTHORS = (
    rf"{NAME}(?:,?\s{INITIALS}(?![\w]))?(?:(?:{AND}(?:{NAME})(?:,?\s{INITIALS}(?![\w]))?){{1,4}})?"
    rf"(?:{ET_AL})?(?:['’]s)?"
)
_YEARS = rf"{DATED}(?:,\s{DATED}){{0,3}}"
_CITED = rf"{_AUTHORS},?\s\(?{_YEARS}\)?(?:[,:]\s?(?:pp?\.\s?)?\d[\d–-]*)?"
_SEE = r"(?:(?:[Ss]ee|[Ss]ee also|e\.g\.,?|cf\.|reviewed in|reviewed by|as in|from|by|per)\s)?"
_ADDRESS = r"(?:https?://|www\.|/)[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*"


Read = Literal[
    "numbers", "raised", "parenthesised", "tag", "authors", "narrative", "link", "reference_link"
]  # fmt: skip
"""What makes a marker of a match: `Finder.readers` in `finding.py` has a function for each."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of marker: what it is called, how it is read and written, examples, what it resolves to."""

    name: str
    read: Read
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    resolves_to: str


def _shape(
    name: str,
    read: Read,
    pattern: str,
    examples: tuple[str, ...],
    resolves_to: str,
    flags: int = re.IGNORECASE,
) -> Shape:
    return Shape(name, read, re.compile(pattern, flags), examples, resolves_to)


SHAPES = (
    _shape(
        "numbers in square brackets",
        "numbers",
        rf"\[{{1,2}}\s?\^?(?P<numbers>{NUMBERS})\s?\]{{1,2}}(?!\()|【(?P<numbers2>{NUMBERS})】",
        ("[1]", "[2, 4–6]", "[^3]", "[[1]]", "【1†source】", "[doc 1]", "[Source 2, p. 5]"),
        "the entry with that label; five to eight digits are a PMID",
    ),
    _shape(
        "raised numbers",
        "raised",
        rf"(?:(?<=[\w.,;:!?)\]%”\"’*])|(?<=[.!?]\s))(?P<raised>{_RAISED})|<sup>\s?\[?(?P<numbers>{NUMBERS})\]?\s?</sup>"
        rf"|\$?\^\{{?\[?(?P<numbers2>{NUMBERS})\]?\}}?\^?\$?(?=[\s.,;:)]|$)",
        ("also.¹", "also.²⁻³", "<sup>1,2</sup>", "^1^"),
        "the entry with that label",
    ),
    _shape(
        "numbers in parentheses",
        "parenthesised",
        rf"\((?:{_KIND}[\s:_#-]{{0,2}})?(?P<parenthesised>{_RANGE}(?:{_SEPARATOR}{_RANGE}){{0,20}})\)"
        rf"(?=[\s.,;:!?()]|$)",
        ("(1)", "(2, 3)", "(Document 1)"),
        "the entry with that label, where the answer has a list that has it and no numbers in square brackets",
    ),
    _shape(
        "tags of products",
        "tag",
        rf"<(?P<tag>cite|citation|ref|source)\b(?P<attributes>[^<>\n]{{0,100}})>"
        rf"(?P<inside>[^<>\n]{{0,60}}(?=</(?P=tag)>))?"
        rf"|</(?:cite|citation|ref|source)>|\\cite[pt]?\{{(?P<keys>[^{{}}\n]{{1,120}})\}}|##"
        rf"(?P<numbers>{_NUMBER})\$\$"
        r"|[\ue200-\ue206]*(?:cite[\ue200-\ue206]*)?(?P<token>turn\d{1,2}(?:search|news|view|fetch"
        r"|academia|file)(?P<n>\d{1,3}))[\ue200-\ue206]*",
        ('<cite index="1">it</cite>', "<ref>1</ref>", "\\cite{smith2020}", "##1$$", "citeturn0search1"),
        "the entry with that label",
    ),
    _shape(
        "author and year in brackets",
        "authors",
        rf"[(\[]{_SEE}(?P<works>{_CITED}(?:;\s{_SEE}{_CITED}){{0,12}})[)\]](?!\()",
        ("(Smith et al., 2020; Lee & Kim 2019)", "[Smith 2020]"),
        "the entry of that first author and year",
        0,
    ),
    _shape(
        "author with the year in brackets",
        "narrative",
        rf"\b(?P<names>{NAME}(?:\s{NAME})?(?:{AND}{NAME}|{ET_AL})?(?:['’]s)?),?\s[(\[](?P<year>{DATED})[)\]]",
        ("Smith et al. (2020)",),
        "the entry of that first author and year; the words stay in the sentence",
        0,
    ),
    _shape(
        "link",
        "link",
        rf"\[(?P<title>(?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{1,300}})\]\((?P<address>{_ADDRESS})(?:\s\"[^\"\n]*\")?\)",
        ("[Smith 2020](https://doi.org/10.1136/bmj.n7)", "[[1]](https://www.nhs.uk/a)"),
        "what the address names",
    ),
    _shape(
        "reference link",
        "reference_link",
        r"\[(?P<title>[^\[\]\n]{3,120})\]\[(?P<numbers>[\w-]{1,20})\]",
        ("[a trial][1]",),
        "the entry with that label; the words stay in the sentence",
    ),
)
"""Beside these: identifiers and addresses wherever they stand (`identifiers`) and names of supplied documents in
brackets; a work named in brackets (`named_sources`) leads to the entry of its author and year, or to itself."""

UNTRACEABLE = re.compile(
    r"\[(?:citations?|sources?|references?|refs?\.?|evidence|link)(?:\s(?:needed|here|required))?\]"
    r"|\((?:citations?|sources?|references?)(?:\s(?:needed|here|required))?\)"
    rf"|\{{{{1,3}}\s?{_KIND}[\s:_#=-]{{0,2}}{_RANGE}\s?\}}{{1,3}}"
    r"|\bPMIDs?[\s:：#]{0,3}(?:0{1,8}|[1-9]\d{8,14})(?![\d,.]*\d)|\bNCT(?:\d{6,7}|\d{9,12})(?!\w)"
    r"|\bdoi[\s:：]{1,3}10\.\d{1,3}/[^\s()\[\]<>,;]{2,100}(?<!\.)",
    re.IGNORECASE,
)
"""What looks like a citation and leads nowhere: `[citation needed]`, a PMID of nine digits, and what no shape
reads, such as a placeholder that was not filled: `{{ref:3}}`, `{source 2}`."""


def patterns() -> list[tuple[str, str, int]]:
    """Return what marks are found by, shape by shape, for the fingerprint of whoever finds them."""
    found = [(shape.read, shape.pattern.pattern, shape.pattern.flags) for shape in SHAPES]
    return [*found, ("untraceable", UNTRACEABLE.pattern, UNTRACEABLE.flags)]
