"""Entailment models by spec: described without loading, loaded with a self-test."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from medassay.models.keys import content_key
from medassay.models.nli.encoder.checkpoints import load_checkpoint
from medassay.models.nli.encoder.embedded import BASE, CONFIG, load_embedded, weights_folder
from medassay.models.nli.encoder.tokenisation import findings_digest
from medassay.models.nli.known_answers import check_once
from medassay.models.nli.labels import STAGE_VERSION, EntailmentModel, EntailmentUnavailable, Warn
from medassay.models.nli.settings import WindowSettings
from medassay.models.processor import device_here, fast_dtype
from medassay.models.weights.hub import hub_is_closed, why_not

if TYPE_CHECKING:
    from medassay.models.processor import Arithmetic

_SENTENCES = "by the ends of their tokens"
"""How a passage's tokens are told apart into sentences, which was another way before."""
_PREMISE_TOKENS = 308
"""What a checkpoint with the usual window of 512 reads of a passage beside the longest claim."""
_CHARACTERS_A_TOKEN = 3.8
"""Nineteen in twenty sentences of medical English have more."""

BIOMEDICAL = "pritamdeka/PubMedBERT-MNLI-MedNLI"
GENERAL = "FacebookAI/roberta-large-mnli"


def describe_entailment(spec: str, *, on_gpu: bool = False) -> dict[str, Any]:
    """Name everything that a verdict under this spec depends on.

    Args:
        spec: `embedded`, `llm`, `cascade`, `hf:` and a hub id or folder (of a hub id the weights are those that are
            here), or `<base_url>#<model>`.
        on_gpu: whether the GPU work pool reads, in the dtype of GPUs, whatever this machine has.

    Raises:
        EntailmentUnavailable: for a spec that names no entailment model.
    """
    if spec == "embedded":
        config = json.loads((weights_folder() / CONFIG).read_text("utf-8"))
        return {
            "model": config["name"],
            "base_sha256": config["base_sha256"],
            "weights_sha256": config["sha256"],
            "dtype": fast_dtype("cuda" if on_gpu else device_here()),
            "calibration": config["calibration"],
            "reading": config["reading"],
            "findings_sha256": findings_digest(),
            "stage_version": STAGE_VERSION,
        }
    if spec in ("llm", "cascade"):
        from medassay.models.nli.cascade import describe_cascade
        from medassay.models.nli.language_model.reader import describe_reader

        reader = describe_reader(on_gpu=on_gpu)
        if spec == "llm":
            return reader
        encoder = describe_entailment("embedded", on_gpu=on_gpu)
        verdicts = content_key({"stage": "entail", **encoder})
        return {**describe_cascade(encoder, reader), "encoder_verdicts": verdicts}
    if spec.startswith(("http://", "https://")):
        from medassay.models.nli.chat import describe_checker

        return describe_checker(spec)
    if not spec.startswith("hf:") or not spec[3:]:
        raise EntailmentUnavailable(
            f"{spec!r} names no reader: use `encoder`, `llm`, `cascade`, `none`, `hf:<hub id or folder>` or "
            "`<base_url>#<model>`"
        )
    from medassay.models.nli.encoder.checkpoints import files_digest, weights_digest

    name = spec[3:]
    return {
        "model": name,
        "weights": weights_digest(name, _config_of(name)),
        "read_as": files_digest(name),
        "dtype": "bfloat16" if on_gpu else "float32",
        "reading": {"caution": WindowSettings(1, 1).caution, "sentences": _SENTENCES},
        "findings_sha256": findings_digest(),
        "stage_version": STAGE_VERSION,
    }


def room_of(described: dict[str, Any]) -> int:
    """Characters of a premise that the model which is so described reads at once, next to surely."""
    reading = described.get("reading", {})
    if "premise_characters" in reading:
        return int(reading["premise_characters"])
    tokens = reading.get("premise_tokens")
    if tokens is None:
        from medassay.models.nli.encoder.checkpoints import reading_here

        here = reading_here(str(described["model"]))
        tokens = here.premise_tokens if here else _PREMISE_TOKENS
    return int(tokens * _CHARACTERS_A_TOKEN)


def _config_of(name: str) -> Any:
    """Read the config of a hub model that is on this machine; None where it is not, or for a folder."""
    if Path(name).is_dir():
        return None
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError):
        return None


def load_entailment(
    spec: str,
    cache: Path | None = None,
    *,
    warn: Warn = lambda _: None,
    base: Path | None = None,
    dtype: str | None = None,
) -> EntailmentModel:
    """Load the model a spec names and check it on known answers.

    A hub model that cannot be loaded is replaced by a biomedical one that is already on this machine, then by the
    general one with a warning, then by the embedded one; each step is said aloud. A folder is never replaced.

    Args:
        spec: `embedded` (the encoder), `llm`, `cascade` or `hf:<id or folder>`.
        cache: folder of embedded models; None is the default one.
        warn: receives one sentence for each replacement.
        base: folder of the embedded model's base, when it is not to come from the registry.
        dtype: the dtype's name; None is what `describe_entailment` names for this machine.

    Raises:
        EntailmentUnavailable: when nothing can be loaded.
        SelfTestFailed: when the model that was named fails on known answers.
    """
    if spec == "embedded":
        return _embedded(cache, base, dtype)
    if spec == "llm":
        return _language_model(cache, dtype, warn)
    if spec == "cascade":
        from medassay.models.nli.cascade import Cascade

        return Cascade(_embedded(cache, base, dtype), _deferred(cache, dtype, warn))
    if not spec.startswith("hf:") or not spec[3:]:
        raise EntailmentUnavailable(
            f"{spec!r} names no reader of pairs: use `encoder`, `llm`, `cascade` or `hf:<hub id or folder>`"
        )
    name = spec[3:]
    if Path(name).is_dir():
        return _checkpoint(name, local_only=True, dtype=dtype, warn=warn)
    if name.startswith((".", "/", "~")):
        raise EntailmentUnavailable(
            f"entailment model {name!r} is no folder on this machine: give the whole path of the folder that holds "
            "config.json, or use `embedded`"
        )
    try:
        return _checkpoint(name, local_only=True, dtype=dtype, warn=warn)
    except EntailmentUnavailable:
        asked = "and nobody is asked for it: offline" if hub_is_closed() else "huggingface.co is asked for it"
        warn(f"{name} is not on this machine: {asked}")
    try:
        return _from_hub(name, dtype, warn)
    except EntailmentUnavailable as error:
        warn(str(error))
    for other, what, but in _fallbacks(name, cache, base, dtype):
        try:
            model = other()
        except EntailmentUnavailable:
            warn(f"{what} is not on this machine either")
            continue
        except (LookupError, ValueError, RuntimeError) as error:
            warn(f"{what} cannot be used either: {error}")
            continue
        warn(f"{name} is replaced by {what}{but}")
        return model
    raise EntailmentUnavailable(
        f"entailment model {name!r} cannot be loaded, and nothing that could take its place: "
        "run `medassay models pull`, or name a folder"
    )


def _fallbacks(
    name: str, cache: Path | None, base: Path | None, dtype: str | None
) -> list[tuple[Callable[[], EntailmentModel], str, str]]:
    def here(other: str) -> Callable[[], EntailmentModel]:
        return lambda: _checkpoint(other, local_only=True, dtype=dtype)

    chain = [
        (here(BIOMEDICAL), f"the biomedical model {BIOMEDICAL}", ""),
        (here(GENERAL), f"the general model {GENERAL}", ": biomedical accuracy may be degraded"),
        (lambda: _embedded(cache, base, dtype), "the embedded model", ""),
    ]
    return [(load, what, but) for load, what, but in chain if not what.endswith(f" {name}")]


def _torch_dtype(name: str | None) -> Any:
    import torch

    return None if name is None else getattr(torch, name)


def _checkpoint(
    name: str, *, local_only: bool, dtype: str | None, warn: Warn = lambda _: None
) -> EntailmentModel:
    model, order = load_checkpoint(name, local_only=local_only, dtype=_torch_dtype(dtype), tested=True)
    if order.guessed:
        warn(f"by known answers, the labels of {name} mean, in their order: {order.said()}")
    if order.kind == "binary":
        warn(f"{name} knows entailed or not: it never says that a source contradicts a claim")
    return model


def _from_hub(name: str, dtype: str | None, warn: Warn) -> EntailmentModel:
    reason = why_not(name)
    if reason:
        raise EntailmentUnavailable(
            f"entailment model {name!r} cannot be loaded ({reason}); name a folder that holds it, or use `embedded`"
        )
    return _checkpoint(name, local_only=False, dtype=dtype, warn=warn)


def _deferred(cache: Path | None, dtype: str | None, warn: Warn) -> EntailmentModel:
    """Return the language-model reader, loaded when a pair needs it; one that is not here says so at once."""
    from medassay.models.nli.deferred import DeferredReader
    from medassay.models.nli.language_model.merging import reader_is_here
    from medassay.models.nli.language_model.reader import describe_reader

    if not reader_is_here(cache):
        return _language_model(cache, dtype, warn)
    described = describe_reader()
    return DeferredReader(
        {**described, "dtype": dtype or described["dtype"]}, lambda: _language_model(cache, dtype, warn)
    )


@lru_cache(maxsize=1)
def _language_model(cache: Path | None, dtype: str | None, warn: Warn) -> EntailmentModel:
    """Load the language-model reader once in a process: its weights are 3 GB."""
    from medassay.models.nli.language_model.merging import WEIGHTS, merged_folder
    from medassay.models.nli.language_model.reader import load_reader

    model = load_reader(cache, warn=warn, arithmetic=cast("Arithmetic | None", dtype))
    check_once(model, "the language-model reader", merged_folder(cache) / WEIGHTS)
    return model


@lru_cache(maxsize=1)
def _embedded(cache: Path | None, base: Path | None, dtype: str | None) -> EntailmentModel:
    """Load the encoder once in a process: two stages read with it."""
    from medassay.models.weights import ensure

    folder = base or ensure(BASE, cache=cache)
    model = load_embedded(folder, dtype=_torch_dtype(dtype))
    check_once(model, "the embedded entailment model", folder / "model.safetensors")
    return model
