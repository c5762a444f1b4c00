"""Judges that were trained here, by name: where they lie, and whom `trained:NAME` means."""

import re
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.local.weights import weights_of
from medassay.models.specs import TRAINED, SpecError
from medassay.models.weights.storing import cache_folder

CARD_FILE = "card.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def judges_folder() -> Path:
    """Return the folder of trained judges, beside the other models."""
    return cache_folder() / "trained"


def folder_named(name: str) -> Path:
    """Return where the judge of this name lies, or would.

    Raises:
        SpecError: for what is no name.
    """
    if not _NAME.fullmatch(name):
        raise SpecError(f"'{name}' is no name of a trained judge: letters, digits, '.', '_' and '-' make one")
    return judges_folder() / name


def names() -> list[str]:
    """List the judges that are here."""
    return sorted(path.parent.name for path in judges_folder().glob(f"*/{CARD_FILE}"))


def endpoint_trained(spec: str, role: str) -> Endpoint:
    """Return whom `trained:NAME` means; a server of ours serves it on loopback once it is `reachable`.

    Raises:
        SpecError: where there is no judge of this name, naming those there are.
    """
    name = spec.strip().removeprefix(TRAINED).strip()
    folder = folder_named(name)
    if not (folder / CARD_FILE).is_file():
        there = ", ".join(names()) or "none"
        raise SpecError(
            f"{TRAINED}{name}: no judge of this name was trained; here are: {there} (medassay train judge)"
        )
    found = weights_of(str(folder))
    return Endpoint("", name, role, f"{TRAINED}{name}@{found.digest[:12]}", found.path)
