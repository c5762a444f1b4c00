"""Damage to a file, as disks, programs and people do it: bytes, encodings, values, cells, names, whole files."""

import gzip
import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from medassay.models.unpacking import UNREADABLE_ZIP

Damage = Callable[[bytes, random.Random], bytes]
STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, 2**70, float("nan"), float("-inf"), "", " ", " \x00", [], {}, [[]], [None], {"text": 3},
    "𝕬" * 50, "\u202e", "\ufeff", "\ud800", "9" * 400, [{"a": []}], "[", "{'a': ", "['x', \"y\"]", "nan", "#REF!",
    "=1+1", "2026-13-45", "PMID: 99999999999999999999", "[1]" * 300, "<think>", "```json", "\r", "[" * 3000,
    "a\n\n\n" * 50, [{"role": "user"}], [{"role": "assistant", "content": None}], {"1": {"pmid": [1]}},
    [1, "a", None, {"text": ["b"]}],
)  # fmt: skip
ENCODINGS = (
    "utf-16",
    "utf-16-le",
    "utf-32",
    "utf-8-sig",
    "latin-1",
    "cp1252",
    "cp1251",
    "shift-jis",
    "utf-7",
)
ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".xls", ".ods", ".eval", ".nbib", ".bib",
           ".pdf", ".txt", ".gz", ".docx", "")  # fmt: skip


def flip(body: bytes, random_: random.Random) -> bytes:
    """Change a few bytes."""
    changed = bytearray(body)
    for _ in range(random_.randint(1, 8)):
        changed[random_.randrange(len(body))] = random_.randrange(256)
    return bytes(changed)


def cut(body: bytes, random_: random.Random) -> bytes:
    """Leave out the end, or a middle."""
    first = random_.randrange(len(body))
    return body[:first] + body[random_.choice((len(body), first + random_.randint(1, 200))) :]


def repeat(body: bytes, random_: random.Random) -> bytes:
    """Put a stretch in once more, elsewhere."""
    first, at = random_.randrange(len(body)), random_.randrange(len(body))
    return body[:at] + body[first : first + random_.randint(1, 300)] + body[at:]


def insert(body: bytes, random_: random.Random) -> bytes:
    """Put in what belongs to no text, or ends one early."""
    strange = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b"{", b"]", b"\n", b"\x1a", b"\x1b[31m",
               b"\\u0000", b"\xc0\xaf", b",", b"\t", b"\x00" * 4096, b"}" * 2000, b"&#0;", b"<", b"NaN")  # fmt: skip
    at = random_.randrange(len(body) + 1)
    return body[:at] + random_.choice(strange) + body[at:]


def shuffle_lines(body: bytes, random_: random.Random) -> bytes:
    """Have lines in another order, twice, or without their ends."""
    lines = body.splitlines(keepends=True)
    if random_.random() < 0.3:
        return b"".join(line.strip() for line in lines)
    random_.shuffle(lines)
    return b"".join(lines + lines[: random_.randrange(len(lines) + 1)])


def encode(body: bytes, random_: random.Random) -> bytes:
    """Write the text in another encoding, or with other ends of lines."""
    text = body.decode("utf-8", "replace")
    if random_.random() < 0.2:
        return text.replace("\n", random_.choice(("\r\n", "\r", "\u2028", "\x0b"))).encode()
    return text.encode(random_.choice(ENCODINGS), "replace")


def swap_values(body: bytes, random_: random.Random) -> bytes:
    """Put a value of another kind in the place of any in a JSON text, or in a record of JSON lines."""
    lines = body.decode("utf-8", "replace").splitlines() or [""]
    for texts in ([body.decode("utf-8", "replace")], lines):
        at = random_.randrange(len(texts))
        with suppress(ValueError, RecursionError):
            texts[at] = json.dumps(
                _changed(json.loads(texts[at]), random_), ensure_ascii=random_.random() < 0.5
            )
            return "\n".join(texts).encode("utf-8", "surrogatepass")
    return swap_cells(body, random_)


def _changed(value: Any, random_: random.Random) -> Any:
    """Change one value at any depth: another kind, another name, gone, twice, or wrapped."""
    inner = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    if inner and random_.random() < 0.85:
        key = random_.choice(inner)
        copied = value.copy()
        match random_.randrange(6):
            case 0:
                del copied[key]
            case 1 if isinstance(copied, dict):
                names = (str(key).upper(), f"{key} ", "", "question", "answer", "text", "id")
                copied[random_.choice(names)] = copied.pop(key)
            case 2 if isinstance(copied, list):
                copied.append(copied[key])
            case _:
                copied[key] = _changed(copied[key], random_)
        return copied
    return random_.choice((*STRANGE, [value], {"value": value}, str(value), [value] * 40))


def swap_cells(body: bytes, random_: random.Random) -> bytes:
    """Put another value, delimiter or quote into a line of a table."""
    lines = body.decode("utf-8", "replace").splitlines() or [""]
    at = 0 if random_.random() < 0.3 else random_.randrange(len(lines))
    mark = next((mark for mark in "\t;," if mark in lines[at]), ",")
    cells = lines[at].split(mark)
    cells[random_.randrange(len(cells))] = str(random_.choice(STRANGE))
    if random_.random() < 0.3:
        cells = cells[: random_.randrange(len(cells) + 1)] + random_.choice(([], ["x"] * 5, [""] * 300))
    lines[at] = random_.choice((mark, mark, mark, ";", "|", f'{mark}"')).join(cells)
    return "\n".join(lines).encode("utf-8", "replace")


OF_BYTES: tuple[Damage, ...] = (flip, cut, repeat, insert)
OF_TEXT: tuple[Damage, ...] = (
    *OF_BYTES,
    shuffle_lines,
    encode,
    swap_values,
    swap_values,
    swap_values,
    swap_cells,
)
BINARY = (".parquet", ".arrow", ".feather", ".pdf")
ZIPPED = (".xlsx", ".xlsm", ".ods", ".eval")


def damage(path: Path, random_: random.Random) -> None:
    """Damage a file one to three times; some are named otherwise, emptied, or replaced by a folder."""
    body = path.read_bytes()
    for _ in range(random_.randint(1, 3)):
        if body:
            body = _damaged(body, path.name.lower(), random_)
    path.write_bytes(body)
    match random_.randrange(60):
        case 0:
            path.write_bytes(b"")
        case 1:
            path.unlink()
        case 2:
            path.unlink()
            path.mkdir()
        case 3 | 4:
            path.rename(path.with_suffix(random_.choice(ENDINGS)))
        case 5:
            table = random_.choice(("answers", "questions", "documents", "human_scores"))
            (path.parent / f"{table}.json").write_bytes(body)


def _damaged(body: bytes, name: str, random_: random.Random) -> bytes:
    """Damage bytes by what the name promises: packed ones mostly within, and packed again."""
    if name.endswith(".gz") and random_.random() < 0.7:
        with suppress(OSError, EOFError, zlib.error):
            return gzip.compress(_damaged(gzip.decompress(body), name[:-3], random_) or b"")
    if name.endswith(ZIPPED) and random_.random() < 0.7:
        with suppress(RuntimeError, OSError, *UNREADABLE_ZIP):
            return _zip_damaged(body, random_)
    fitting = OF_BYTES if name.endswith((*BINARY, *ZIPPED)) else OF_TEXT
    return random_.choice(fitting)(body, random_) if body else body


def _zip_damaged(body: bytes, random_: random.Random) -> bytes:
    """Damage one member of an archive, or leave it out."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random_.choice(list(members))
    if random_.random() < 0.1:
        del members[name]
    elif members[name]:
        members[name] = random_.choice(OF_TEXT)(members[name], random_)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return packed.getvalue()
