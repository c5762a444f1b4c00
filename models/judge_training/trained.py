"""Judges that were trained here, by name: a merged folder, or a base with an adapter, and a card."""

import re
import shutil
from pathlib import Path
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.weights import weights_of
from medassay.models.judge_training.folders import read_json, write_json
from medassay.models.registry.storing import cache_folder
from medassay.models.specs import TRAINED, SpecError

CARD_FILE = "card.json"
UNLICENSED = "unlicensed: it has not passed the examination, do not rely on its points"
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


def card_of(name: str) -> dict[str, Any]:
    """Return the card of a trained judge."""
    card: dict[str, Any] = read_json(folder_named(name) / CARD_FILE)
    return card


def install(name: str, model: Path, card: dict[str, Any]) -> Path:
    """Put a merged model's folder and its card where judges lie; what had this name before is replaced."""
    place = folder_named(name)
    draft = place.with_name(f".{name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(model, draft)
    write_json(draft / CARD_FILE, card)
    shutil.rmtree(place, ignore_errors=True)
    draft.replace(place)
    return place


def merged(model: Path, base: Path, out: Path) -> Path:
    """Return a folder of plain weights: `model` itself, or its adapter merged into the base and written to `out`."""
    from medassay.models.judge_training.bases import is_adapter, load

    if not is_adapter(model):
        return model
    from transformers import AutoTokenizer

    shutil.rmtree(out, ignore_errors=True)
    load(model, base).merge_and_unload().save_pretrained(out)
    AutoTokenizer.from_pretrained(model).save_pretrained(out)
    return out
