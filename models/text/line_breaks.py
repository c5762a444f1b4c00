"""Line breaks as an answer means them: written out, lost on the way, in HTML, or left out between bullets."""

import re

_WRITTEN_OUT = re.compile(
    r"\\r\\n|\\n(?!(?:u|e|eq|ot|otin|abla|leq|geq|mid|earrow|exists|subseteq|ewline)\b)|\\r(?=\\n)"
)
_BARE = re.compile(r"(?<=[.!?:;)])n(?=[A-Z][a-z’']|[-•*–] ?\w|\d{1,2}[.)] |n?\Z)")
_TAG = re.compile(
    r"<(/?)(p|div|br|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th)\b(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_INLINE_BULLET = re.compile(r"[ \t](?=[•‣◦▪▫●○■□➢➤►][ \t])")
_FEWEST_BULLETS = 2


def with_line_breaks(text: str) -> str:
    r"""Put line breaks where a text says `\n` in two characters, `.nNext`, `<li>`, or goes on with the next bullet.

    The text keeps its length, so that every span of it is a span of the original.
    """
    if "\\n" in text:
        text = _WRITTEN_OUT.sub(lambda found: " " * (len(found[0]) - 1) + "\n", text)
    if "n" in text:
        text = _BARE.sub("\n", text)
    if "<" in text:
        text = _TAG.sub(_as_markdown, text)
    if len(_INLINE_BULLET.findall(text)) + text.lstrip().startswith(("•", "‣", "▪", "●")) >= _FEWEST_BULLETS:
        text = _INLINE_BULLET.sub("\n", text)
    return text


def _as_markdown(tag: re.Match[str]) -> str:
    """Return white space of the tag's length, with a bullet, a heading's hash or a cell's bar in it."""
    closes, name = tag[1], tag[2].lower()
    if name in ("td", "th"):
        return " " * len(tag[0]) if closes else "|".ljust(len(tag[0]))
    opens = {"li": "\n- "}.get(name, "\n# " if name[0] == "h" else "\n")
    return ("\n" if closes else opens).ljust(len(tag[0]))
