"""A trained judge is put where it is found by its name: a merged folder, or a base with an adapter, and a card."""

import shutil
from pathlib import Path
from typing import Any

from medassay.models.chat.local.trained import CARD_FILE, folder_named
from medassay.models.judge_training.folders import read_json, write_json

UNLICENSED = "unlicensed: it has not passed the examination, do not rely on its points"


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
