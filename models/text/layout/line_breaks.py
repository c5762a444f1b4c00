"""Line breaks as an answer means them: written out, lost on the way, in HTML, or left out between bullets."""

import re

from medassay.models.text.layout.reasoning import without_programs, without_reasoning

_WRITTEN_OUT = re.compile(
    r"\\r\\n|\\n(?!(?:u|e|eq|ot|otin|abla|leq|geq|mid|earrow|exists|subseteq|ewline)\b)|\\r(?=\\n)"
)
_BARE = re.compile(r"(?<=[.!?:;)])(?<!\d:)n(?=[A-Z][a-z’']|[-•*–] ?\w|\d{1,2}[.)] |n?\Z)")
_TAG = re.compile(
    r"<(/?)(p|div|br|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th|summary|details)\b(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_HTML_ROW = re.compile(r"<tr\b.{0,20000}?</tr>", re.IGNORECASE | re.DOTALL)
_START = re.compile(r"\bstart=[\"']?(\d{1,3})")
# "• Statins lower LDL• Aspirin prevents stroke"
_PASTED_BULLET = re.compile(r"(?<=[\w.!?;:,)\]%])([•‣▪●])[ \t](?=\S)")
_INLINE_BULLET = re.compile(r"[ \t](?=[•‣◦▪▫●○■□➢➤►][ \t])")
_ROW = re.compile(r"(?m)^[ \t>]*\|[^\n]*<br[^\n]*", re.IGNORECASE)
_BREAK_IN_CELL = re.compile(
    r"(?P<stop>[.;:,!?|][ \t]*)?<br[ \t]*/?>(?=(?P<last>[ \t]*[|(\[])?)", re.IGNORECASE
)
_EMPTY_LINE = re.compile(r"(?m)^[ \t]*(?:&nbsp;[ \t]*)+$")
_ESCAPED = re.compile(r"\\\[(\^?\d[\d,;\s–-]{0,60})\\\]")
# Not of ">30 kg: 400 mg", which compares.
_QUOTED = re.compile(r"(?m)^[ \t]{0,3}(?:>(?![=\d]|[ \t]\d+[^.)\d])[ \t]?)+")
_FEWEST_BULLETS = 2


def with_line_breaks(text: str) -> str:
    r"""Put line breaks where a text says `\n` in two characters, `.nNext`, `<li>`, or goes on with the next bullet.

    A model's reasoning before its answer is left blank. The text keeps its length, so that every span of it is a span
    of the original.
    """
    # Before programs are left out: some models fence their thoughts.
    text = without_reasoning(text)
    if "```" in text or "~~~" in text:
        text = without_programs(text)
    if "\\n" in text:
        text = _WRITTEN_OUT.sub(lambda found: " " * (len(found[0]) - 1) + "\n", text)
    if "\\[" in text:
        text = _ESCAPED.sub(r" [\1] ", text)
    if ">" in text:
        text = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    if "n" in text:
        text = _BARE.sub("\n", text)
    if "&nbsp;" in text:
        text = _EMPTY_LINE.sub(lambda found: " " * len(found[0]), text)
    if "<" in text:
        text = _ROW.sub(lambda row: _BREAK_IN_CELL.sub(_in_cell, row[0]), text)
        text = _HTML_ROW.sub(lambda row: re.sub(r"[\r\n]", " ", row[0]), text)
        text = _TAG.sub(_Markdown(), text)
    opened = text.lstrip().startswith(("•", "‣", "▪", "●"))
    pasted = len(_PASTED_BULLET.findall(text))
    if len(_INLINE_BULLET.findall(text)) + pasted + opened >= _FEWEST_BULLETS:
        text = _PASTED_BULLET.sub(r"\n\1", _INLINE_BULLET.sub("\n", text))
    return text


def _in_cell(tag: re.Match[str]) -> str:
    """Write a break inside a table's cell, which is no end of its row, as a semicolon."""
    stop = tag["stop"] or ""
    return (stop if stop or tag["last"] is not None else ";").ljust(len(tag[0]))


class _Markdown:
    """Replaces tags by white space of their length, with a bullet or number, a heading's hash or a cell's bar in it.

    The rule of a Markdown table takes the place of the tag that ends a row of nothing but heads.
    """

    def __init__(self) -> None:
        self.counts: list[int | None] = []  # of the open lists, the last item's number; None without numbers
        self.cells: set[str] = set()  # the kinds of cells in the row

    def __call__(self, tag: re.Match[str]) -> str:
        closes, name = tag[1], tag[2].lower()
        if name in ("ol", "ul"):
            self._opens_or_closes_list(tag)
        if name == "tr":
            heads, self.cells = closes and self.cells == {"th"}, set()
            return "\n|-|\n" if heads else "\n".ljust(len(tag[0]))
        if name in ("td", "th"):
            self.cells.add(name)
            return " " * len(tag[0]) if closes else "|".ljust(len(tag[0]))
        if name == "li" and not closes:
            return self._item(len(tag[0]))
        titles = name[0] == "h" or name == "summary"
        return ("\n# " if titles and not closes else "\n").ljust(len(tag[0]))

    def _opens_or_closes_list(self, tag: re.Match[str]) -> None:
        if tag[1]:
            if self.counts:
                self.counts.pop()
            return
        start = _START.search(tag[0])
        self.counts.append(None if tag[2].lower() == "ul" else int(start[1]) - 1 if start else 0)

    def _item(self, length: int) -> str:
        number = self.counts[-1] if self.counts else None
        if number is None:
            return "\n- ".ljust(length)
        self.counts[-1] = number + 1
        wanted = f"\n{number + 1}. "
        if len(wanted) > length:
            wanted = f"\n{number + 1}．"  # needs no space behind it
        return wanted.ljust(length) if len(wanted) <= length else "\n- ".ljust(length)
