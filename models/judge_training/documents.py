"""Documents of a knowledge store: PDF and text files as pages, and pages as chunks that know where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from medassay.models.intake.file_opening import conversion, opened, refuse_absent
from medassay.models.intake.rows import IntakeError

LONGEST_CHUNK = 1000
"""Characters, as in the published judge's knowledge store."""
TEXT_SUFFIXES = (".txt", ".md", ".markdown")
_HYPHEN_AT_LINE_END = re.compile("[\ufffe\u00ad\x02]\n?")
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"[.!?][)\"'”’]?\s+(?=[^a-z])"),
    re.compile(r"\n"),
    re.compile(r"\s+"),
)
"""Where a chunk may end, best first: paragraph, sentence, line, word."""


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page; `number` counts from 1 and is None in files without pages."""

    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a page: `text` is the page's text from `start` to `end`, in characters."""

    page: int | None
    start: int
    end: int
    text: str


def read_pages(path: Path) -> list[Page]:
    """Return the pages of a document that hold text.

    Raises:
        IntakeError: for a file that is absent, of another kind, damaged, locked by a password, or without text.
    """
    refuse_absent(path, "no such file", "give a PDF, text or Markdown file")
    if path.suffix.lower() == ".pdf":
        pages, advice = _pdf_pages(path), "it may be a scan: run text recognition on it first"
    elif path.suffix.lower() in TEXT_SUFFIXES:
        pages, advice = [Page(None, _text(path))], "leave it out"
    else:
        raise IntakeError(path, None, "neither PDF nor text", f"give a .pdf, {', '.join(TEXT_SUFFIXES)} file")
    pages = [page for page in pages if page.text.strip()]
    if not pages:
        raise IntakeError(path, None, "no text in it", advice)
    return pages


def _pdf_pages(path: Path) -> list[Page]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise IntakeError(path, None, "locked by a password", "save a copy without one") from None
        raise IntakeError(
            path, None, f"cannot be read as PDF ({error})", "open it in a viewer and save it again"
        ) from None
    pages = []
    try:
        for number in range(len(document)):
            try:
                page = document[number]
                text_page = page.get_textpage()
                text = text_page.get_text_range()
            except pypdfium2.PdfiumError as error:
                what = f"page {number + 1} cannot be read ({error})"
                raise IntakeError(path, None, what, "open it in a viewer and save it again") from None
            text_page.close()
            page.close()
            text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
            pages.append(Page(number + 1, _HYPHEN_AT_LINE_END.sub("", text)))
    finally:
        document.close()
    return pages


def _text(path: Path) -> str:
    with opened(path) as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise IntakeError(path, None, "not UTF-8", conversion(path)) from None
    return text.replace("\r\n", "\n").replace("\x00", "")


def chunks_of(page: Page, longest: int = LONGEST_CHUNK) -> Iterator[Chunk]:
    """Cut a page into chunks of at most `longest` characters, at paragraphs, sentences, lines or words.

    Chunks follow each other without overlap; only blanks lie between them.
    """
    start, text = 0, page.text
    while start < len(text):
        if text[start].isspace():
            start += 1
            continue
        end = _end(text, start, longest)
        chunk = text[start:end].rstrip()
        yield Chunk(page.number, start, start + len(chunk), chunk)
        start = end


def _end(text: str, start: int, longest: int) -> int:
    """Return where a chunk ends: the last good break of its second half, else where it is full."""
    most = start + longest
    if len(text) <= most:
        return len(text)
    for pattern in _BREAKS:
        ends = [m.end() for m in pattern.finditer(text, start + longest // 2, most)]
        if ends:
            return ends[-1]
    return most
