"""Files cited by their names: `[Source: a.pdf; b.pdf]`, `[label.pdf, p. 4]`."""

import re

from medassay.models.text.labels.files import files_in
from medassay.models.text.markers.marks import Marker, Target

_LEAD = re.compile(
    r"\s*(?:(?:see(?:\salso)?|cf\.?|from|siehe|vgl\.)\s+)?"
    r"(?:(?:sources?|ref(?:erence)?s?|citations?|files?|documents?|docs?|quellen?|fuentes?|fonti?|kontext|context)\s?[:：]\s*)?",
    re.IGNORECASE,
)


def named_files(text: str, first: int, start: int, end: int, last: int) -> Marker | None:
    """Read text[start:end], the inside of a bracket, as names of files and no more; where in a file is left out."""
    lead = _LEAD.match(text, start, end)
    targets = file_targets(text, lead.end() if lead else start, end)
    return Marker(first, last, "named", targets) if targets else None


def file_targets(text: str, start: int, end: int) -> tuple[Target, ...]:
    """Make a target of each file that text[start:end] names; none where other words stand there."""
    return tuple(
        Target(text[file.start : file.end], None, f"named:{file.name}", file.start, file.end)
        for file in files_in(text, start, end)
    )
