"""Fences around untrusted text in prompts, which the text itself cannot forge.

Three locks: the fence carries a code word that only this home can compute, every line inside starts with
`| `, and whatever could pass for a control sign of a model or for the verdict is spelt differently inside.
"""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Mapping

from medassay.models.keys import content_key

_INVISIBLE_EXTRA = {
    0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x2800, 0x3164, 0xFFA0,
    *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
}  # fmt: skip
"""Fillers, blanks and variation selectors; one selector a letter carries a message past every reader."""
_LINE_BREAKS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL_TOKEN = re.compile(
    r"<\s*(?=[|｜])|(?<=[|｜])\s*>|"
    r"<\s*(?=/?\s*(?:s|think\w*|system|assistant|user|im_\w+|(?:start|end)_of_(?:turn|image)|[be]os|pad|unk|sop|eop|"
    r"tool_(?:call|response)\w*)\s*>)",
    re.I,
)
_OTHER_TAG = re.compile(
    r"<(?!/?(?:a|abbr|b|blockquote|br|caption|center|cite|code|col|dd|del|details|div|dl|dt|em|figure|font|h[1-6]|hr|html|"
    r"body|head|i|img|ins|li|mark|ol|p|pre|q|s|section|small|span|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|"
    r"thead|title|tr|u|ul|var|article)\b)(/?[a-z][\w:.|-]{0,40})>",
    re.IGNORECASE,
)
"""A tag that no page is made of: some model's sign for whose turn it is, more likely than not."""
_SQUARE_TOKEN = re.compile(
    r"\[(\s*/?\s*(?:INST|SYS|SYSTEM|ASSISTANT|USER|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|ARGS|THINK|g?MASK|"
    r"PREFIX|SUFFIX|MIDDLE)\s*)\]|(?<=[\[\]])~|~(?=[\[\]])",
    re.IGNORECASE,
)
_ANGLE_RUN = re.compile(r"<{2,}|>{2,}")
_VERDICT_KEY = re.compile(
    r"(medical|evidence|response|overall)[\W_]{0,3}(correctness|sufficiency|alignment|justification)", re.I
)
_SAFETY_KEY = re.compile(r"([\"'`“”‘’«»]\s*)safety(\s*[\"'`“”‘’«»])\s*[:=]", re.IGNORECASE)
_HOMOGLYPHS = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеоѕіјсрхуԁһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTXYaeosijcpxydhlABEZHIKMNOPTYX",
)
_POSING = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡᏧᎫꓖꓣꓮꓓꓰ", "ABCDEFGHIJKLMNOPRSTUVWYZgjJGRADE")
_SET_LETTER = re.compile("[\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f169]")
"""Letters and digits of mathematics and in circles: another font in plain text."""
_STRUCK_THROUGH = re.compile("[\u0334-\u0338\u20e3]")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_LATIN_WORD_WITH_STRAYS = re.compile(r"[^\W\d_]+")
_ALL_VISIBLE = re.compile(r"[\n\t -~]*")
_BLOCK = re.compile(
    r"^BEGIN (?P<code>[0-9a-f]{16}) (?P<name>.+)\n(?P<lines>(?:\| .*\n)+)END (?P=code) (?P=name)$",
    re.MULTILINE,
)


def code_word(secret: bytes, input_key: str, purpose: str) -> str:
    """Derive the code word of one input: unguessable without the secret, the same for the same call."""
    return hmac.new(secret, f"{purpose}:{input_key}".encode(), hashlib.sha256).hexdigest()[:16]


def default_secret() -> bytes:
    """Return the secret used where no home has one: tests and single questions."""
    return content_key("medassay without a home").encode()


def visible_text(text: str) -> str:
    """Drop characters that no reader sees, unify line breaks, undo letters that pose as Latin ones.

    A Cyrillic or Greek letter is only replaced inside a word that also holds Latin ones, so that words of
    those languages, and a µ or β on its own, stay as they are.
    """
    if _ALL_VISIBLE.fullmatch(text):
        return text
    text = _LINE_BREAKS.sub("\n", text).translate(_FULL_WIDTH).translate(_POSING)
    text = _SET_LETTER.sub(lambda letter: unicodedata.normalize("NFKC", letter.group()).strip("()"), text)
    text = _STRUCK_THROUGH.sub("", text)
    kept = "".join(
        c
        for c in text
        if c in "\n\t"
        or (unicodedata.category(c) not in ("Cf", "Cc", "Co", "Cn", "Cs") and ord(c) not in _INVISIBLE_EXTRA)
    )
    return _LATIN_WORD_WITH_STRAYS.sub(_latin_if_mixed, kept)


def neutralise(text: str) -> str:
    """Return the text as it may stand inside a fence, with no control sign and no verdict in it."""
    text = visible_text(text)
    text = _CONTROL_TOKEN.sub(lambda m: m.group().replace("<", "‹").replace(">", "›"), text)
    text = _OTHER_TAG.sub(r"‹\1›", text)
    text = _SQUARE_TOKEN.sub(lambda m: f"({m[1]})" if m[1] else "-", text)
    text = _ANGLE_RUN.sub(lambda m: ("‹" if m.group()[0] == "<" else "›") * len(m.group()), text)
    text = text.replace("```", "'''")
    text = _VERDICT_KEY.sub(r"\1 \2", text)
    return _SAFETY_KEY.sub(r"\1 safety \2 -", text)


def fenced(name: str, text: str, code: str) -> str:
    """Set a text between its fences, every line marked as data."""
    lines = "\n".join(f"| {line}" for line in neutralise(text).split("\n"))
    return f"BEGIN {code} {name}\n{lines}\nEND {code} {name}"


def blocks_in(content: str) -> dict[str, str]:
    """Return the text between each pair of fences by its name, none where there are no fences."""
    return {block["name"]: _between(block["lines"]) for block in _BLOCK.finditer(content)}


def with_blocks(content: str, texts: Mapping[str, str]) -> str:
    """Put other texts between the fences of their names; what stands outside stays as it is."""
    return _BLOCK.sub(lambda block: fenced(block["name"], texts[block["name"]], block["code"]), content)


def found_unseen(text: str) -> tuple[str, list[int]] | None:
    """Return a text as a model is shown it, and where each character of that stands in it.

    None where something had to be spelt at another length, so that places cannot be told.
    """
    kept = [place for place, sign in enumerate(text) if visible_text(sign)]
    shown = neutralise("".join(text[place] for place in kept))
    return (shown, kept) if len(shown) == len(kept) else None


def _between(lines: str) -> str:
    return "\n".join(line.removeprefix("| ") for line in lines.removesuffix("\n").split("\n"))


def _latin_if_mixed(match: re.Match[str]) -> str:
    word = match.group()
    if word.isascii() or not any("a" <= c <= "z" for c in word.lower()):
        return word
    return word.translate(_HOMOGLYPHS)
