"""Line breaks as an answer means them: written out, lost on the way, in HTML, or left out between bullets."""

import re

from medassay.models.text.layout.reasoning import without_reasoning

_WRITTEN_OUT = re.compile(
    r"\\r\\n|\\n(?!(?:u|e|eq|ot|otin|abla|leq|geq|mid|earrow|exists|subseteq|ewline)\b)|\\r(?=\\n)"
)
# Line breaks that lost their stroke, in K-QA: answers of Bard.
_BARE = re.compile(r"(?<=[.!?:;)])(?<!\d:)n(?=[A-Z][a-z’']|[-•*–] ?\w|\d{1,2}[.)] |n?\Z)")
_ADDRESS = re.compile(r"10\.\d{4,9}/|://")
_TAG = re.compile(
    r"<(/?)(p|div|br|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th|summary|details)\b(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
# "• Statins lower LDL• Aspirin prevents stroke"
_PASTED_BULLET = re.compile(r"(?<=[\w.!?;:,)\]%])([•‣▪●])[ \t](?=\S)")
_INLINE_BULLET = re.compile(r"[ \t](?=[•‣◦▪▫●○■□➢➤►][ \t])")
_ROW = re.compile(r"(?m)^[ \t>]*\|[^\n]*<br[^\n]*", re.IGNORECASE)
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\\[(\^?\d[\d,;\s–-]{0,60})\\\]")
# Not of ">30 kg: 400 mg", which compares.
_QUOTED = re.compile(r"(?m)^[ \t]{0,3}(?:>(?![=\d]|[ \t]\d+[^.)\d])[ \t]?)+")
_FEWEST_BULLETS = 2


def with_line_breaks(text: str) -> str:
    r"""Put line breaks where a text says `\n` in two characters, `.nNext`, `<li>`, or goes on with the next bullet.

    A model's reasoning before its answer is left blank. The text keeps its length, so that every span of it is a span
    of the original.
    """
    text = without_reasoning(text)
    if "\\n" in text:
        text = _WRITTEN_OUT.sub(lambda found: " " * (len(found[0]) - 1) + "\n", text)
    if "\\[" in text:
        text = _ESCAPED.sub(r" [\1] ", text)
    if ">" in text:
        text = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    if "n" in text:
        text = _BARE.sub(lambda found: "n" if _in_an_address(found) else "\n", text)
    if "<" in text:
        text = _ROW.sub(lambda row: _BREAK.sub(lambda tag: ";".ljust(len(tag[0])), row[0]), text)
        text = _TAG.sub(_line_break, text)
    opened = text.lstrip().startswith(("•", "‣", "▪", "●"))
    pasted = len(_PASTED_BULLET.findall(text))
    if len(_INLINE_BULLET.findall(text)) + pasted + opened >= _FEWEST_BULLETS:
        text = _PASTED_BULLET.sub(r"\n\1", _INLINE_BULLET.sub("\n", text))
    return text


def _in_an_address(found: re.Match[str]) -> bool:
    """Tell whether a letter is one of a DOI or an address: `10.1136/bmj.n71.`."""
    word = found.string[max(0, found.start() - 200) : found.start()].split()[-1:]
    return bool(word and _ADDRESS.search(word[0]))


def _line_break(tag: re.Match[str]) -> str:
    """Write a tag as the line break that it means, with a bullet or a heading's hash; cells as bars."""
    closes, name = tag[1], tag[2].lower()
    if name in ("td", "th"):
        return (" " if closes else "|").ljust(len(tag[0]))
    sign = "" if closes else "- " if name == "li" else "# " if name[0] == "h" or name == "summary" else ""
    return f"\n{sign}".ljust(len(tag[0]))
