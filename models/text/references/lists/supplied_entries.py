"""Entries that name nothing but supplied documents, `[1] SOP-101`, where no heading says that they are a list."""

from collections.abc import Collection, Sequence

from medassay.models.text.labels.forms import normalise_label
from medassay.models.text.labels.supplied_names import SuppliedNames
from medassay.models.text.references.entries.labels import form_of, label_of, written_label
from medassay.models.text.references.entries.lines import Line

_FORMS = ("square", "plain", "numbered", "round", "linked", "raised", "sup")


def end_of_supplied(
    text: str, lines: Sequence[Line], at: int, cited: Collection[str], supplied: SuppliedNames
) -> int:
    """Return the number of the line after those, from one on, whose cited labels name supplied documents; 0 if none."""
    after = at
    while after < len(lines) and supplied:
        raw = text[lines[after].start : lines[after].end]
        label = label_of(raw)
        if (
            label is None
            or form_of(label) not in _FORMS
            or normalise_label(written_label(label)) not in cited
        ):
            break
        begun = supplied.begins(raw[label.end() :].strip(" *_`"))
        if begun is None or begun[1][:1].isalnum() or not supplied.find(begun[0]):
            break
        after += 1
    return after if after > at else 0
