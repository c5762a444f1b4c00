r"""What stands over a reference list: `References`, `Sources used in this answer:`, `\section*{Bibliography}`."""

import re
from enum import IntEnum

from medassay.models.text.language.verbs import has_finite_verb


class Trust(IntEnum):
    """How surely a heading means a reference list; the less, the more its entries must say."""

    DOUBTFUL = 1  # "Sources for vitamin D": foods or papers
    OPEN = 2  # "Literature", "Evidence", "Notes": findings stand under these, too
    LIKELY = 3  # "Sources": of iron, of infection
    SURE = 4  # "References"


_SURE = (
    r"references?|refs?\b\.?|ref(?:erence|\.)? list|bibliograph(?:y|ie)"
    r"|(?:works|literature) (?:cited|consulted)|cited (?:works|sources|literature)"
    r"|literaturverzeichnis|literaturangaben|literaturnachweise?|literaturhinweise|einzelnachweise"
    r"|quellen(?:angaben|verzeichnis|nachweise?)|referenzen"
    r"|r[ée]f[ée]rences|referencias|refer[eê]ncias|bibliograf[iíj]a|riferimenti|referenties"
    r"|bronvermelding|literatuurlijst"
    r"|referenser|referencer|referanser|källförteckning|viitteet|piśmiennictwo|kaynakça|irodalom"
    r"|bibliografie|βιβλιογραφία"
    r"|список литературы|ссылки|참고문헌|参考文献|参考资料|參考文獻|引用文献|المراجع|संदर्भ"
)
_LIKELY = (
    r"sources? (?:documents?|nodes?|files?)"
    r"|(?:retrieved|cited|referenced|context) (?:documents?|sources?|passages?|chunks?|files?)"
    r"|sources?|citations?|pmids?|pubmed ids?|fußnoten|footnotes?|endnotes?|quellen|belege|fuentes|fontes"
    r"|fonti|bronnen|källor"
    r"|kilder|lähteet|źródła|zdroje|kaynaklar|források|surse|πηγές|источники|джерела|来源|资料来源|出典|출처|المصادر"
)
_OPEN = (
    r"literature|lit\.|literatur|literatuur|literatura|література|литература|notes?|anmerkungen|evidence(?: base)?"
    r"|(?:further|suggested|recommended|additional) reading|weiterführende literatur"
    r"|(?:learn|read|find out) more|(?:more|further) information|where (?:all )?(?:this|that|it"
    r"|the (?:information|evidence)) comes from|links|see also|papers|publications|articles|studies"
)
_LEAD = (
    r"(?:(?:here (?:are|is)|below (?:are|is)|these are|the|my|our|a|list of|key|selected|main|primary"
    r"|supporting|relevant"
    r"|important|full|complete|numbered|cited|additional|scientific|medical|academic|pubmed|original|verified"
    r"|external|useful|helpful"
    r"|verwendete|wichtige|ausgewählte|principales|notes (?:and|&)|notes et|quellen und|sources (?:and|&)"
    r"|further reading (?:and|&))\s+){0,4}"
)
_TAIL = (
    r"(?:\s+(?:list|cited|used|consulted|below|section|base|reading|further|notes?|citations?|references?"
    r"|sources?|links|pmids?|pubmed|dois?|ids?|numbers?"
    r"|literature|literatur|style|format|and|&|und|et|y|e|in|for|of|to|the|this|that|which|answer"
    r"|response|text|above|i|we|parts?|chapters?|topics?|questions?|[a-z\d]"
    r"|have|has|were|was|are|is|bibliographiques|bibliográficas|bibliográficos|bibliografici|bibliografiche|utilisées"
    r"|consultad[ao]s?|utilizad[ao]s?|citad[ao]s?|complementari[ao]s?|consultées|citées|zur|antwort"
    r"|studies|included|excluded|ongoing|awaiting|assessment|review"
    r"|\d{1,3}\s?[-–]\s?\d{1,3})){0,8}?"
)
_ENDS_OPEN = r"(?<!\s(?:of|to|in))(?<!\s(?:for|the|and|und))"
_DECORATION = (
    r"(?:[^\w\n(\[|†‡§¶<]|_|<[^<>\n]{1,40}>)*(?:\\(?:sub)*(?:section|paragraph|chapter|textbf)\*?\{)?"
)
_COUNTED = r"(?:(?:\d{1,2}|[IVX]{1,4})[.)]\s*)?[*_]*"
_NAME = rf"{_LEAD}(?:(?P<sure>{_SURE})|(?P<likely>{_LIKELY})|(?P<open>{_OPEN})){_TAIL}{_ENDS_OPEN}"
_ASIDE = r"(?:\s*[(\[][^()\[\]\n]{1,60}[)\]])?"
_AFTER = r"(?:</?\w{1,10}>|[\s*_#}=:：>—–-])*"
_ALONE = re.compile(rf"{_DECORATION}{_COUNTED}{_NAME}{_ASIDE}{_AFTER}", re.IGNORECASE)
_INLINE = re.compile(rf"{_DECORATION}{_NAME}{_ASIDE}[\s*_]*[:：][\s*_]*(?=\S)", re.IGNORECASE)
_FOR = r"(?:for|on|about|regarding|behind|zu|zum|zur|für|pour|sur|para|sobre)"
# "References for heart disease:", "## Sources – Part 2", "**Heart failure: references**": those of one section.
_OF_A_SECTION = re.compile(
    rf"{_DECORATION}{_COUNTED}{_LEAD}"
    rf"(?:(?P<sure>{_SURE})|(?P<likely>{_LIKELY})|(?P<open>literature|literatur|evidence))"
    rf"(?:\s(?:cited|used|list))?(?:\s{_FOR}\s|\s?[–—:-]\s|,\s)"
    r"(?=[^\W\d_])[^.:;!?\[\]<>|\n]{2,60}?[ ]?(?P<after>[*_]{0,3}[:：]?[*_]{0,3})\s*",
    re.IGNORECASE,
)
_INLINE_OF_A_SECTION = re.compile(
    rf"{_DECORATION}(?P<sure>{_SURE})\s{_FOR}\s[^.:;!?\[\]<>|\n]{{2,50}}[:：][\s*_]*"
    r"(?=\[1\]|\(1\)|1[.)]\s)",
    re.IGNORECASE,
)
_BEHIND_ITS_SECTION = re.compile(
    rf"{_DECORATION}{_COUNTED}(?=[^\W_])[^.:;!?\[\]()<>|\n]{{2,50}}?(?:\s?[–—:-]\s|\s)"
    r"(?:(?P<sure>references|bibliography|literature cited|literaturverzeichnis|literaturangaben)"
    r"|(?P<likely>sources|citations|quellen))[ ]?(?P<after>[*_]{0,3}[:：]?[*_]{0,3})\s*",
    re.IGNORECASE,
)
_ONLY_HEADS = re.compile(rf"\b(?:{_SURE}|{_LIKELY}|{_FOR}|the)\b", re.IGNORECASE)
_AS_A_HEADING = re.compile(r"\s*#{1,6}\s|\s*[*_]{1,3}\S.*[*_]{1,3}[:：]?\s*\Z")
_MOST_WORDS_OF_A_SECTION = 8
_FEW_WORDS = 5
_PLAIN_HEADING = re.compile(r"(?:References|REFERENCES)(?!.*\d{3})[^:：]+")
# "References 1. Smith J. …", as text flattened into one paragraph has it.
_FLATTENED = re.compile(
    rf"{_DECORATION}(?:R(?:eferences|EFERENCES)|Works Cited|Bibliography)\.?[*_]{{0,3}}\s[*_]{{0,3}}"
    r"(?=(?:\[1\]|\(1\)|1[.)])\s[*_\[“\"]{0,3}(?:[A-ZÀ-ÖØ-Þ]|https?:))"
)
_LATEX = re.compile(r"\s*\\begin\{thebibliography\}(?:\{[^{}]{0,20}\})?\s*")
_LONGEST = 110


def heads_a_list(line: str) -> Trust | None:
    """Say how surely a line by itself is the heading of a reference list; None if it is none."""
    if len(line) > _LONGEST:
        return None
    if _LATEX.fullmatch(line):
        return Trust.SURE
    if found := _ALONE.fullmatch(line):
        return _trust(found)
    of_a_section = _heading_of_a_section(line)
    if of_a_section is None:
        return None
    return Trust.SURE if of_a_section["sure"] else Trust.DOUBTFUL


def _heading_of_a_section(line: str) -> re.Match[str] | None:
    """Read `References for heart disease:`, a line that looks like a heading and states nothing."""
    found = _OF_A_SECTION.fullmatch(line) or _BEHIND_ITS_SECTION.fullmatch(line)
    if found is None or len(line.split()) > _MOST_WORDS_OF_A_SECTION or has_finite_verb(line):
        return None
    marked = ":" in found["after"] or "：" in found["after"] or _AS_A_HEADING.match(line) is not None
    plain = len(line.split()) <= _FEW_WORDS and _PLAIN_HEADING.fullmatch(line) is not None
    return found if marked or plain else None


def opens_a_list(line: str) -> tuple[Trust, int] | None:
    """Find a heading with entries behind it on its line, `References: 1. …`: how sure, and where they begin."""
    if flattened := _FLATTENED.match(line[:_LONGEST]):
        return Trust.SURE, flattened.end()
    if of_a_section := _INLINE_OF_A_SECTION.match(line[:_LONGEST]):
        return _trust(of_a_section), of_a_section.end()
    found = _INLINE.match(line[:_LONGEST])
    return (_trust(found), found.end()) if found else None


def section_of(line: str) -> str:
    """Return what a heading says besides "references": the section that its list is for."""
    return _ONLY_HEADS.sub(" ", line)


def _trust(found: re.Match[str]) -> Trust:
    named = found.groupdict()
    return Trust.SURE if named.get("sure") else Trust.LIKELY if named.get("likely") else Trust.OPEN
