"""What is read of a reference list in the text of an answer."""

from dataclasses import dataclass

from medassay.models.records import Span
from medassay.models.text.references.entries.reading import ListedReference


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """A reference list of an answer's text: where it stands, its entries, and what it says by itself.

    `section` is the part of the text whose markers it is for, where others have a list of their own at the same place;
    `closing` is a line `Source: PMID 123` at the end, which speaks for the whole answer if nothing in it is cited.
    """

    start: int
    end: int
    entries: tuple[ListedReference, ...]
    closing: bool = False
    section: Span | None = None
