"""The folder of this project's state: where it is, how it is made, and whom it is open to."""

import os
from contextlib import suppress
from pathlib import Path

WORK_FILE = "work.duckdb"


class WarehouseError(Exception):
    """The warehouse cannot be opened or does not fit this version; the message says what to do."""


MADE_BEFORE = {"prices.json"}
"""What a person may have put into a home before its first run."""


def home_folder() -> Path:
    """Return the folder of this project's state: `MEDASSAY_HOME`, else `.medassay` here; absolute."""
    return Path(os.environ.get("MEDASSAY_HOME") or ".medassay").absolute()


def make_home(folder: Path) -> None:
    """Make the folder of the state where there is none; one made before, and open to all, is closed to them.

    A folder that holds other things, or was given to a group on purpose, keeps its mode: `doctor` says so.

    Raises:
        WarehouseError: where it cannot be made, saying what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise WarehouseError(
            f"{folder} cannot be the home ({error.strerror}): set MEDASSAY_HOME to a folder that can be written"
        ) from None
    mode = folder.stat().st_mode
    if mode & 0o007 and {entry.name for entry in folder.iterdir()} <= MADE_BEFORE:
        with suppress(PermissionError):
            folder.chmod(mode & 0o7700)
