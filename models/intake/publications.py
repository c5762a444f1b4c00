"""Documents as files of publications: `.nbib`, `.ris`, `.bib`, PDF and plain text."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medassay.models.intake.file_opening import opened
from medassay.models.intake.rows import BadRow, IntakeError, Place, RawRow

_ENTRY = re.compile(
    r"[ \t]*@(?:article|book|booklet|collection|conference|dataset|electronic|inbook|incollection"
    r"|inproceedings|manual"
    r"|mastersthesis|misc|online|patent|phdthesis|proceedings|report|software|techreport|thesis|unpublished|webpage)"
    r"\s*\{\s*(?P<key>[^\s,{}\"#%]{1,80})\s*,",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?P<name>[a-z]{2,20})\s{0,10}=\s{0,10}", re.IGNORECASE)
_LONGEST = 8000

Rows = Iterator[RawRow | BadRow]
_TAG = re.compile(r"(?P<tag>[A-Z][A-Z0-9]{1,3}) {0,2}-(?: (?P<value>.*))?\Z")
_NAMES = {
    "title": ("TI", "T1"),
    "text": ("AB", "N2"),
    "pmid": ("PMID",),
    "pmcid": ("PMC",),
    "doi": ("DO",),
    "url": ("UR",),
}
_DOI = re.compile(r"(?P<doi>10\.\S+)(?: \[doi\])?")


def bibtex_fields(text: str, start: int) -> tuple[str, dict[str, str]] | None:
    """Return the key and the fields of the entry that begins at text[start]; None where none begins."""
    opened = _ENTRY.match(text, start)
    if opened is None:
        return None
    end = _closing(text, text.index("{", opened.start()))
    return opened["key"], _fields(text[opened.end() : end])


def _fields(body: str) -> dict[str, str]:
    """Return the fields of an entry by name, in lower case; of one that is given twice, the first."""
    found: dict[str, str] = {}
    at = 0
    while field := _FIELD.search(body, at):
        first = field.end()
        if body[first : first + 1] == "{":
            at = _closing(body, first)
            value = body[first + 1 : at - 1]
        elif body[first : first + 1] == '"':
            at = (body + '"').index('"', first + 1) + 1
            value = body[first + 1 : at - 1]
        else:
            at = min((body + sign).index(sign, first) for sign in ",}\n")
            value = body[first:at]
        found.setdefault(field["name"].casefold(), " ".join(re.sub(r"[{}]", "", value).split()))
    return found


def _closing(text: str, opener: int) -> int:
    """Return the place behind the brace that closes the one at `opener`; the end of the text where none does."""
    depth = 0
    for place in range(opener, min(len(text), opener + _LONGEST)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return min(len(text), opener + _LONGEST)


def tagged(path: Path) -> Rows:
    """Read the entries of a `.nbib` or `.ris` file, each as a document with its abstract as text."""
    fields: dict[str, list[str]] = {}
    began, tag = 1, ""
    for number, line in enumerate(_lines(path), 1):
        found = _TAG.match(line)
        if found and found["tag"] in ("TY", "PMID") and fields.keys() - {"TY"}:
            yield _document(path, began, fields)
            fields = {}
        if found:
            tag = found["tag"]
            if not fields:
                began = number
            if tag == "ER":
                if fields:
                    yield _document(path, began, fields)
                fields, tag = {}, ""
            else:
                fields.setdefault(tag, []).append((found["value"] or "").strip())
        elif line.strip() and tag:
            fields[tag][-1] += " " + line.strip()
        elif line.strip():
            observed, advice = line[:80], "export the file again"
            yield BadRow(str(path), number, "the line belongs to no entry", observed, advice, kind="document")
    if fields:
        yield _document(path, began, fields)


def _document(path: Path, line: int, fields: dict[str, list[str]]) -> RawRow:
    row = {
        name: value
        for name, tags in _NAMES.items()
        if (value := next((fields[tag][0] for tag in tags if fields.get(tag)), ""))
    }
    named = (value for tag in ("DO", "LID", "AID") for value in fields.get(tag, ()))
    if doi := next((found["doi"] for value in named if (found := _DOI.match(value))), None):
        row["doi"] = doi
    if not row.keys() & {"pmid", "pmcid", "doi", "url"}:
        row["id"] = next((fields[tag][0] for tag in ("ID", "AN") if fields.get(tag)), f"{path.stem}-{line}")
    return RawRow(str(path), Place(line), row)


def bibtex(path: Path) -> Rows:
    """Read the entries of a `.bib` file, each as a document under its key, with its abstract as text."""
    text = "\n".join(_lines(path))
    for found in re.finditer(r"(?m)^[ \t]*@(?P<type>\w+)", text):
        line = text.count("\n", 0, found.start()) + 1
        if found["type"].lower() in ("comment", "string", "preamble"):
            continue
        entry = bibtex_fields(text, found.start())
        if entry is None:
            observed = text[found.start() : found.start() + 60].splitlines()[0]
            yield BadRow(str(path), line, "not a BibTeX entry", observed, "mend the entry", kind="document")
            continue
        key, fields = entry
        names = {
            "title": "title",
            "text": "abstract",
            "doi": "doi",
            "pmid": "pmid",
            "pmcid": "pmcid",
            "url": "url",
        }
        row = {ours: fields[theirs] for ours, theirs in names.items() if fields.get(theirs)}
        yield RawRow(str(path), Place(line), {"id": key, **row})


def plain_text(path: Path) -> Rows:
    """Read a text file as one document under the file's name."""
    text = "\n".join(_lines(path))
    yield RawRow(str(path), Place(1), {"id": path.name, "title": path.stem, "text": text})


def pdf(path: Path) -> Rows:
    """Read a PDF as one document under the file's name, a section a page; one without a text layer is a BadRow."""
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(str(path)) as document:
            pages = [page.get_textpage().get_text_bounded() for page in document]
    except pypdfium2.PdfiumError as error:
        said = (
            "it asks for a password" if "password" in str(error).lower() else str(error).strip().rstrip(".")
        )
        yield _unread(path, f"the PDF cannot be read ({said})", "save it again without a password")
        return
    sections: list[dict[str, Any]] = [
        {"label": f"page {number}", "text": "\n".join(text.split("\r\n"))}
        for number, text in enumerate(pages, 1)
        if text.strip()
    ]
    if not sections:
        yield _unread(
            path,
            f"none of the {len(pages)} pages of the PDF holds text",
            "recognise the scan's text first (OCR)",
        )
        return
    yield RawRow(str(path), Place(1), {"id": path.name, "title": path.stem, "sections": sections})


def _unread(path: Path, rule: str, advice: str) -> BadRow:
    return BadRow(str(path), None, rule, path.name, advice, kind="document", fields={"id": path.name})


def _lines(path: Path) -> list[str]:
    """Return a text file's lines.

    Raises:
        IntakeError: where it is not UTF-8.
    """
    with opened(path) as file:
        try:
            return file.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            what = f"not UTF-8 (byte 0x{error.object[error.start]:02x} at position {error.start + 1})"
            raise IntakeError(path, None, what, "save it as UTF-8") from None
