"""The sizes a judge is trained in: what is trained, on how much, with which numbers."""

from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from medassay.models.usage import UsageError

DEEPSPEED = Path(__file__).with_name("deepspeed")


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter: rank, alpha, dropout, and which layers it is put on (`all-linear` for every linear one)."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    layers: str = "all-linear"


@dataclass(frozen=True, slots=True)
class RandomModel:
    """The shape of a Llama with random weights, and how many tokens its own tokenizer knows."""

    hidden: int = 192
    inner: int = 512
    layers: int = 4
    heads: int = 6
    vocabulary: int = 640
    spread: float = 0.07
    """Standard deviation of the initial weights, about 1/√hidden: the usual 0.02 learns far more slowly here."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Everything about a training but its data.

    `base` is a registry name, a hub id or a folder; None where it is `random_model`, or has to be named. `warmup` is a
    share of the steps. `checkpoint_every` is in steps; `steps`, where given, are made in place of `epochs`. `deepspeed`
    names a file of this package. `introspection_rate` is introspection's learning rate as a share of the curriculum's.
    `trainer` says whose: transformers' own, or TRL's, which comes with the extra `train`.
    """

    name: str
    base: str | None
    random_model: RandomModel | None
    adapter: Adapter | None
    trainer: Literal["transformers", "trl"]
    max_tokens: int
    epochs: float
    learning_rate: float
    warmup: float
    schedule: str
    batch: int
    accumulation: int
    checkpoint_every: int
    bf16: bool = False
    checkpointing: bool = False
    attention: str = "sdpa"
    deepspeed: str | None = None
    weight_decay: float = 0.0
    gpu: bool = False
    steps: int | None = None
    introspection_rate: float = 1.0

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Return what can change a stage's weights; how often the state is saved cannot.

        `introspection_rate` does so through the `learning_rate` of the stages that it is for.
        """
        told = asdict(self)
        without = {
            "checkpoint_every",
            "gpu",
            "introspection_rate",
            *(["steps"] if self.steps is None else []),
        }
        return {name: value for name, value in told.items() if name not in without}

    @property
    def packages(self) -> tuple[str, ...]:
        """Name the packages that training needs and MedAssay does not bring along."""
        needed = {
            "trl": self.trainer == "trl",
            "datasets": self.trainer == "trl",
            "peft": self.adapter is not None,
            "deepspeed": self.deepspeed is not None,
        }
        return tuple(name for name, is_needed in needed.items() if is_needed)

    @property
    def deepspeed_file(self) -> Path | None:
        """Return DeepSpeed's configuration, None where it is not used."""
        return DEEPSPEED / self.deepspeed if self.deepspeed else None


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "tiny", None, RandomModel(), None, "transformers", 512, 8, 2e-3, 0.05, "cosine", 12, 1, 50,
            introspection_rate=0.1,
        ),
        Preset(
            "small", "smollm2-135m-instruct-q4_1", None, Adapter(), "trl", 2048, 3, 2e-4, 0.03, "cosine", 1, 8, 20
        ),
        Preset(
            "paper", None, None, None, "trl", 2048, 5, 2e-5, 0.03, "linear", 2, 8, 200,
            bf16=True, checkpointing=True, deepspeed="zero3.json", gpu=True,
        ),
        Preset(
            "paper-lora", None, None, Adapter(64, 16, 0.05), "trl", 2048, 5, 1e-4, 0.03,
            "linear", 2, 8, 200, bf16=True, checkpointing=True, gpu=True,
        ),
    )
}  # fmt: skip
"""`paper` is the training that the paper's text describes; its 13 B base is named with `--base`."""


def preset_named(name: str, *, base: str | None = None, full: bool = False, **numbers: Any) -> Preset:
    """Return a preset with another base, without its adapter (`full`), or with other numbers.

    Raises:
        UsageError: for an unknown name, and for a base beside the preset whose model is random.
    """
    if name not in PRESETS:
        raise UsageError(f"there is no preset '{name}': choose one of {', '.join(PRESETS)}")
    preset = PRESETS[name]
    if base and preset.random_model:
        raise UsageError(
            f"the preset {name} trains a model with random weights: leave --base out, or choose small"
        )
    changed = {key: value for key, value in numbers.items() if value is not None}
    if full:
        changed["adapter"] = None
    if not (base or preset.base or preset.random_model):
        raise UsageError(
            f"the preset {name} has no base of its own: name a model with --base <hub id or folder>"
        )
    return replace(preset, base=base or preset.base, **changed)


def refuse_without_data(preset: Preset, data: object) -> None:
    """Refuse a preset that has no invented world to train on where no data was given.

    Raises:
        UsageError: saying what to name.
    """
    if data is None and preset.random_model is None:
        raise UsageError(
            f"the preset {preset.name} needs data: name a folder that `medassay judge-data build` wrote"
        )


def refuse_missing(preset: Preset) -> None:
    """Refuse a preset whose packages are not all installed.

    Raises:
        UsageError: with the command that installs them.
    """
    missing = [name for name in preset.packages if find_spec(name) is None]
    if missing:
        others = ["medassay[train]"] if set(missing) - {"deepspeed"} else []
        install = " ".join(
            f"'{one}'" for one in (*others, *(["deepspeed"] if "deepspeed" in missing else []))
        )
        raise UsageError(f"the preset {preset.name} needs {', '.join(missing)}: pip install {install}")
