"""The table of formats in docs/data.md."""

from medassay.models.intake.formats import FORMATS, PACKED

_HOLDS = {
    "tables": "tables, whole records, logs",
    "documents": "documents",
    "one document": "one document, in the folder `documents`",
}


def table() -> str:
    """Return each format with its endings and what a file of it holds."""
    rows = [
        f"| {form.name} | {', '.join(f'`{end}`' for end in form.endings)} | {_HOLDS[form.holds]}"
        f" | {'yes' if form.is_packed else ''} |"
        for form in FORMATS
    ]
    return "\n".join([f"| format | ends in | holds | `{PACKED}` too |", "|---|---|---|---|", *rows])
