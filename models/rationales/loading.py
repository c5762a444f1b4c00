"""From a spec to what measures rationales: `none`, `embedded`, or `hf:<id or folder>`."""

from pathlib import Path

from models.rationales.protocol import Likeness
from models.settings import UsageError

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
    from models.rationales.bertscore import BertScore

    if spec == "embedded":
        from models.registry import ensure

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
    from models.rationales.bartscore import BartScore

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
    """Refuse what is no spec before anything is evaluated.

    Raises:
        UsageError: for a spec that is none.
    """
    if bertscore not in ("none", "embedded"):
        named(bertscore, "--bertscore")
    if bartscore == "embedded":
        raise UsageError(NO_BART)
    if bartscore != "none":
        named(bartscore, "--bartscore")
