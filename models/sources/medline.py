"""Stream PubMed XML with Biopython's parser.

Nothing is ever downloaded: a DTD newer than the ones that came with Biopython is read by the newest of
them, and what only the newer one knows is skipped. Subtrees that no record needs (authors, MeSH, reference
lists) are passed over, which makes the parser about three times as fast.
"""

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol
from xml.parsers import expat

Element = Any
_UNUSED = frozenset(
    "AuthorList ChemicalList DataBankList GeneSymbolList GrantList History InvestigatorList ItemList "
    "KeywordList MeshHeadingList PersonalNameSubjectList ReferenceList SupplMeshList".split()
)
_WHOLE = frozenset(("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument"))
_ROOTS = frozenset(("PubmedArticleSet", "PubmedBookArticleSet"))
_BLOCK = 1 << 16


class Unreadable(Exception):
    """A body or file is not PubMed XML, or ends early; the message names the place."""


class _Reader(Protocol):
    parser: Any
    finished: deque[tuple[str, Element]]
    root: str | None


def read_medline(stream: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Yield (tag, element) for each whole article, book and deletion list, in order, in constant memory.

    Raises:
        Unreadable: at the first place that is no PubMed XML; what came before it has been yielded.
    """
    reader = _reader()
    started = False
    while True:
        block = stream.read(_BLOCK)
        started = started or bool(block)
        try:
            reader.parser.Parse(block, not block)
        except expat.ExpatError as error:
            if not started:
                raise Unreadable("it is empty") from None
            if reader.root is None:
                raise Unreadable(f"it is no XML ({expat.ErrorString(error.code)})") from None
            what = "it is cut off" if not block else "it is not well-formed XML"
            place = f"line {error.lineno}, column {error.offset}"
            raise Unreadable(f"{what} ({expat.ErrorString(error.code)}, {place})") from None
        except (ValueError, RuntimeError, OSError, AttributeError, LookupError, TypeError) as error:
            place = f"line {reader.parser.CurrentLineNumber}"
            raise Unreadable(f"it is not PubMed XML ({error}, {place})") from None
        while reader.finished:
            yield reader.finished.popleft()
        if not block:
            return


def _reader() -> _Reader:
    """Make a parser for one document; Biopython's own class, kept from the network and from the home folder."""
    import Bio
    from Bio import Entrez

    # On import the parser makes its cache folder for downloads below this one: name one that is there.
    Entrez.local_cache = str(Path(Bio.__path__[0]).parent)
    from Bio.Entrez.Parser import DataHandler

    shipped = sorted(path.name for path in Path(DataHandler.global_dtd_dir).glob("pubmed_*.dtd"))

    class MedlineReader(DataHandler):  # type: ignore[misc]  # Biopython has no types
        def __init__(self) -> None:
            super().__init__(validate=False, escape=True, ignore_errors=False)
            self.bypass_url_security = True  # old files name their DTD by http, and none is ever fetched
            self.finished: deque[tuple[str, Element]] = deque()
            self.root: str | None = None
            self.xmlDeclHandler(None, None, None)

        def open_dtd_file(self, filename: str) -> IO[bytes]:
            if re.fullmatch(r"pubmed_\d+\.dtd", filename) and filename not in shipped:
                filename = shipped[-1]
            handle: IO[bytes] | None = super().open_dtd_file(filename)
            if handle is None:
                raise ValueError(f"its DTD is {filename}")
            return handle

        def open_xsd_file(self, filename: str) -> IO[bytes]:
            raise ValueError(f"its schema is {filename}")

        def handleMissingDocumentDefinition(self, tag: str, attrs: dict[str, str]) -> None:
            if tag not in _ROOTS:
                raise ValueError(f"its root is <{tag}>")
            self.externalEntityRefHandler(None, None, f"https://dtd.nlm.nih.gov/{shipped[-1]}", None)
            self.startElementHandler(tag, attrs)

        def elementDecl(self, name: str, model: Any) -> None:
            super().elementDecl(name, model)
            if name in self.constructors:
                kind, arguments = self.constructors[name]
                self.constructors[name] = (kind, (None, *arguments[1:]))

        def startElementHandler(self, tag: str, attrs: dict[str, str]) -> None:
            if self.root is None:
                self.root = tag
                if tag not in _ROOTS:
                    raise ValueError(f"its root is <{tag}>")
            if tag in _UNUSED:
                self.parser.StartElementHandler = self.startSkipElementHandler
                self.parser.EndElementHandler = self.endSkipElementHandler
                self.parser.CharacterDataHandler = self.skipCharacterDataHandler
                self.level = 1
            else:
                super().startElementHandler(tag, attrs)

        def endElementHandler(self, name: str) -> None:
            element = self.element
            super().endElementHandler(name)
            if name in _WHOLE:
                kept = self.record.pop(name)
                self.finished.append((name, element))
                if isinstance(kept, list) and kept is not element:
                    self.record[name] = []

    reader: _Reader = MedlineReader()
    return reader
