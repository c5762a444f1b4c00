"""Rich consoles; control characters and markup in user texts are escaped."""

import re
import sys
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text


def results_console(width: int) -> Console:
    """Return the standard output, as wide as the terminal, or of this width where there is none."""
    return _literal(width=None if sys.stdout.isatty() else width)


def progress_console() -> Console:
    """Return the standard error."""
    return _literal(stderr=True)


def _literal(**chosen: Any) -> Console:
    """Make a console that takes `[x]` and `:x:` for what they are: a system may be called so."""
    return _LiteralConsole(markup=False, emoji=False, highlight=False, **chosen)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return a text with its control characters spelled out, so that none of it commands a terminal.

    Line breaks and tabs stay. Marks that reverse the direction of writing are spelled out too.
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class _LiteralConsole(Console):
    def render_str(self, text: str, **chosen: Any) -> Text:
        """Render what others wrote; see `visible`."""
        return super().render_str(visible(text), **chosen)


def widths(console: Console, printed: Table) -> Measurement:
    """Return the characters that a table needs to break no word, and those to break no cell."""
    unbounded = console.options.update(max_width=1_000_000)
    return Measurement.get(console, unbounded, printed)


def print_titled(console: Console, title: str, table: Table) -> None:
    """Print a table under its title, which a table of its own would pad with blanks to its width."""
    console.print(Text(title, style="table.title"))
    console.print(table)
