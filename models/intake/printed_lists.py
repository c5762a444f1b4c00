"""Lists and objects as programs print them into a cell: JSON, Python, numpy, LangChain's and LlamaIndex's objects."""

import ast
import json
import math
import re
import warnings
from typing import Any

_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NUMPY = re.compile(rf"(?:array\()?\[\s*(?:(?:{_TEXT})[\s,]*)*\](?:, dtype=[\w.<>']+\))?", re.DOTALL)
_TYPOGRAPHIC = re.compile(r"\[\s*(?:“[^“”]*”[\s,;]*)+\]")
_ENUM = re.compile(rf"({_TEXT})|<[\w.]+: ({_TEXT}|\d+)>|(\}})\s+(?=\{{)", re.DOTALL)
_OBJECT = r"(?:\w+\.)*[A-Z]\w*\((?:\w+=|['\"])"
_OPENS = re.compile(rf"\[\s*(?:['\"“{{\]]|{_OBJECT})|\{{\s*['\"]|array\(\[|{_OBJECT}|page_content=")
_OPENS_IN_PAIRS = re.compile(r"\(\s*['\"].*\)|\"\s*[\[{].*[\]}]\"", re.DOTALL)
_AS_STR = re.compile(rf"page_content=(?P<text>{_TEXT})(?:\s+metadata=\{{.*\}})?", re.DOTALL)
_NAMES = {"None": None, "nan": None, "NaN": None, "null": None, "NaT": None, "true": True, "false": False}
_LENIENT = json.JSONDecoder(strict=False, parse_constant=lambda name: None)
EXCELS_LONGEST_CELL = 32_767


class NoList(ValueError):
    """A text that begins as a printed list or object and cannot be read as one."""


def looks_printed(text: str) -> bool:
    """Return whether a text begins as a printed list, object or call does; prose in brackets does not."""
    text = text.strip()
    return bool(_OPENS.match(text) or _OPENS_IN_PAIRS.fullmatch(text))


def read_printed(text: str) -> Any:
    """Return what a program printed, as lists, objects and texts; of a call (`Document(…)`) its named fields.

    Raises:
        NoList: for what cannot be read, was cut off or shortened.
    """
    text = text.strip()
    for read in (_json, _of_texts, _python):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise NoList("it is cut off" if _is_cut(text) else "it is neither JSON nor Python")


def _is_cut(text: str) -> bool:
    closing = {"[": "]", "{": "}", "(": ")"}.get(text[:1], ")")
    return len(text) >= EXCELS_LONGEST_CELL or not text.endswith(closing) or "..." in text[-10:]


def _json(text: str) -> Any:
    value, end = _LENIENT.raw_decode(text)
    if text[end:].strip():
        raise ValueError("more follows")
    return read_printed(value) if isinstance(value, str) and looks_printed(value) else value


def _of_texts(text: str) -> list[str]:
    """Read texts alone: numpy puts no commas between them, Python would join such texts to one."""
    if _NUMPY.fullmatch(text):
        return [str(_literal(part)) for part in re.findall(_TEXT, text, re.DOTALL)]
    if _TYPOGRAPHIC.fullmatch(text):
        return re.findall("“([^“”]*)”", text)
    if found := _AS_STR.fullmatch(text):
        return [str(_literal(found["text"]))]
    raise ValueError("no list of texts")


def _literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a text may hold a backslash that means nothing to Python
        return ast.literal_eval(text.replace("\n", "\\n"))


def _python(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parsed = ast.parse(text, mode="eval")
        except SyntaxError:
            parsed = ast.parse(_ENUM.sub(_without_enum, text), mode="eval")
    return _value(parsed.body)


def _without_enum(found: re.Match[str]) -> str:
    """Write an enumeration's member as its value, and a comma between objects; texts stay as they are."""
    return found[1] or found[2] or f"{found[3]},"


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=float() as value) if not math.isfinite(value):
            return None
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.Constant(value=value) if value is Ellipsis:
            raise ValueError("the list was shortened")
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {str(_value(key)): _value(value) for key, value in pairs if key is not None}
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.Call(args=args, keywords=named):
            fields = {one.arg: _value(one.value) for one in named if one.arg}
            if args and isinstance(first := _value(args[0]), str | list):
                return first if isinstance(first, list) else {"text": first, **fields}
            return fields if fields else ast.unparse(node)
    return ast.unparse(node)
