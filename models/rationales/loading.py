"""Resolve a spec of a rationale measure: `none`, `embedded`, or `hf:<id or folder>`."""

import json
from pathlib import Path

from medassay.models.rationales.bertscore import Likeness
from medassay.models.usage import UsageError

EMBEDDED = "all-MiniLM-L6-v2"
NO_BART = "--bartscore embedded: no such model is carried; name one, hf:<id or folder>"


def load_bertscore(spec: str) -> Likeness | None:
    """Load BERTScore's encoder; None for `none`.

    `embedded` is the registry's embedder: no biomedical model and not the one that published numbers were made with,
    so its scores compare rationales with each other, not with papers.

    Raises:
        UsageError: for a spec that is none.
        ModelMissing: when the embedded one is not here.
        RationaleModelUnavailable: when it cannot be loaded.
    """
    if spec == "none":
        return None
    from medassay.models.rationales.bertscore import BertScore

    if spec == "embedded":
        from medassay.models.weights import ensure

        return BertScore(str(ensure(EMBEDDED)), EMBEDDED)
    name = named(spec, "--bertscore")
    return BertScore(name, Path(name).name if Path(name).is_dir() else name)


def load_bartscore(spec: str) -> Likeness | None:
    """Load BARTScore's sequence-to-sequence model; None for `none`. No such model is embedded.

    Raises:
        UsageError: for a spec that is none.
        RationaleModelUnavailable: when it cannot be loaded.
    """
    if spec == "none":
        return None
    from medassay.models.rationales.bartscore import BartScore

    if spec == "embedded":
        raise UsageError(NO_BART)
    name = named(spec, "--bartscore")
    return BartScore(name, Path(name).name if Path(name).is_dir() else name)


def named(spec: str, option: str) -> str:
    """Return the id or folder of a spec.

    Raises:
        UsageError: when it is none.
    """
    kind, _, name = spec.partition(":")
    if kind != "hf" or not name:
        raise UsageError(f"{option} {spec}: say none, embedded, or hf:<id or folder>")
    return name


def refuse_unknown(bertscore: str, bartscore: str) -> None:
    """Refuse what is no spec, and a folder that holds no such model, before anything is evaluated.

    Raises:
        UsageError: for a spec that is none, or a folder that cannot be it.
    """
    if bertscore not in ("none", "embedded"):
        refuse_folder(named(bertscore, "--bertscore"), "--bertscore", writes=False)
    if bartscore == "embedded":
        raise UsageError(NO_BART)
    if bartscore != "none":
        refuse_folder(named(bartscore, "--bartscore"), "--bartscore", writes=True)


def refuse_folder(name: str, option: str, *, writes: bool) -> None:
    """Refuse a folder without a model; what is a hub id can only be tried.

    Raises:
        UsageError: where it is missing, holds no model, or `writes` and its model writes no text.
    """
    folder = Path(name)
    if not folder.is_dir():
        if folder.is_absolute() or name.startswith((".", "~")) or folder.exists():
            raise UsageError(f"{option} hf:{name}: no such folder")
        return
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{option} hf:{name}: no config.json of a model in that folder") from None
    if writes and not config.get("is_encoder_decoder"):
        raise UsageError(
            f"{option} hf:{name}: a {config.get('model_type', 'model')} reads but writes no text; name a folder with a"
            " sequence-to-sequence model"
        )
