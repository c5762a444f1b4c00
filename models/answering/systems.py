"""Specs of systems under test (`name=base_url,model[,setting=value …]`) and their requests."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint, endpoint_of
from medassay.models.chat.local.served import endpoint_named
from medassay.models.chat.providers import PROVIDERS
from medassay.models.chat.reply import Complaint
from medassay.models.keys import content_key
from medassay.models.specs import PROVIDER_NAMES, SpecError, parse_spec

EMBEDDED = "embedded"
HUB = "hf:"
FORM = (
    "name=base_url,model[,setting=value …], name=anthropic:<model>, name=embedded or name=hf:<id or folder>"
)
PATTERN = (
    rf"^\s*[^=,\s][^=,]*=\s*(embedded|(hf|{PROVIDER_NAMES}):[^,\s][^,]*|https?://[^,\s?#@]+\s*,\s*[^=,\s][^=,]*)"
    r"(,\s*(temperature|top[-_]p|top[-_]k|tokens|cite)\s*=\s*[^,\s=]+\s*)*\s*$"
)
"""What a spec looks like, for forms that refuse others before anything runs."""
LONGEST_ANSWER = 200
"""Tokens of an answer, as in BioACE's collection of answers (temperature 0.5, top-p 1, top-k 50)."""
_PROMPTS = Path(__file__).with_name("prompts")
_NAME = re.compile(r"[^=,\s][^=,]*")
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; None leaves a setting to the server."""

    temperature: float = 0.5
    top_p: float | None = 1.0
    top_k: int | None = 50
    tokens: int = LONGEST_ANSWER
    cite: bool = False


@dataclass(frozen=True, slots=True)
class System:
    """A model that answers questions: the name it goes by in the results, where it is, how it is sampled.

    `base_url` is `embedded`, or `hf:` and what follows it, of a model that we serve ourselves.
    """

    name: str
    base_url: str
    model: str
    sampling: Sampling = Sampling()

    @property
    def endpoint(self) -> Endpoint:
        """Return where it is asked; its key is `MEDASSAY_<NAME>_API_KEY`, else `OPENAI_API_KEY`."""
        if _is_ours(self.base_url):
            return endpoint_named(self.base_url, "answer")
        role = re.sub(r"[^A-Za-z0-9]+", "_", self.name).strip("_") or "answer"
        return endpoint_of(parse_spec(f"{self.base_url}#{self.model}"), role)

    @property
    def prompt(self) -> str:
        """Return what it is told before the question."""
        text = prompt_text("answer_citing" if self.sampling.cite else "answer")
        return text.replace("{max_tokens}", str(self.sampling.tokens))

    def described(self) -> dict[str, Any]:
        """Return who was asked and how, as JSON-able values."""
        return {
            "system": self.name,
            "base_url": self.base_url,
            "model": self.model,
            **asdict(self.sampling),
            "prompt": self.prompt,
            "prompt_digest": content_key(self.prompt),
        }


@cache
def prompt_text(name: str) -> str:
    """Return the text of a prompt file, without the final line break."""
    return (_PROMPTS / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def parse_systems(texts: Sequence[str], sampling: Sampling) -> list[System]:
    """Read several specs, each with the common sampling unless it sets its own.

    Raises:
        SpecError: for one that cannot be read, none at all, or one name for two.
    """
    found = [parse_system(text, sampling) for text in texts]
    if not found:
        raise SpecError(f"no system to ask: name one with --system {FORM}")
    names = [system.name for system in found]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"--system {name} is given {names.count(name)} times: give each its own name")
    return found


def parse_system(text: str, sampling: Sampling) -> System:
    """Read one spec.

    Raises:
        SpecError: saying what to write instead.
    """
    name, sign, rest = text.partition("=")
    name = name.strip()
    if not sign or not _NAME.fullmatch(name) or not rest.strip():
        raise SpecError(f"--system {text!r} cannot be read: write {FORM}")
    first, *settings = [part.strip() for part in rest.split(",")]
    if _is_ours(first):
        try:
            model = EMBEDDED if first == EMBEDDED else endpoint_named(first, "answer").model
        except SpecError as error:
            raise SpecError(f"--system {name}: {error}") from None
        return System(name, first, model, _with(name, sampling, settings))
    provider, _, model = first.partition(":")
    if provider in PROVIDERS:
        first = f"{provider}:{PROVIDERS[provider].base_url}"
        settings = [model.strip(), *settings]
    if not settings or not settings[0] or "=" in settings[0]:
        raise SpecError(
            f"--system {name}: no model after the address: write {name}={first or 'base_url'},<model>"
        )
    model, *settings = settings
    try:
        endpoint = endpoint_of(parse_spec(f"{first}#{model}"), "answer")
    except SpecError as error:
        raise SpecError(f"--system {name}: {error}") from None
    return System(
        name, first if endpoint.native else endpoint.base_url, endpoint.model, _with(name, sampling, settings)
    )


def _is_ours(base_url: str) -> bool:
    return base_url == EMBEDDED or base_url.startswith(HUB)


def _with(name: str, sampling: Sampling, settings: Sequence[str]) -> Sampling:
    """Apply a system's own settings.

    Raises:
        SpecError: naming the setting and what it may be.
    """
    known = {field.name: field for field in fields(Sampling)}
    for setting in settings:
        key, _, value = setting.partition("=")
        key, value = key.strip().replace("-", "_"), value.strip()
        if key not in known:
            raise SpecError(f"--system {name}: {key!r} is no setting; there are {', '.join(known)}")
        try:
            sampling = replace(sampling, **{key: _value(key, value)})
        except ValueError:
            raise SpecError(f"--system {name}: {key}={value} cannot be read; {_RANGES[key]}") from None
    check_sampling(sampling, f"--system {name}: ")
    return sampling


_RANGES = {
    "temperature": "choose a number from 0 to 2",
    "top_p": "choose a number over 0, up to 1, or none",
    "top_k": "choose a whole number from 1, or none",
    "tokens": "choose a whole number from 1",
    "cite": "choose yes or no",
}


def _value(key: str, text: str) -> Any:
    if key == "cite":
        if text.lower() not in ("yes", "no", "true", "false"):
            raise ValueError(text)
        return text.lower() in ("yes", "true")
    if key in ("top_p", "top_k") and text.lower() == "none":
        return None
    return float(text) if key in ("temperature", "top_p") else int(text)


def check_sampling(sampling: Sampling, where: str = "") -> None:
    """Refuse a sampling that no server could honour.

    Raises:
        SpecError: naming the setting and what it may be.
    """
    sound = {
        "temperature": 0 <= sampling.temperature <= 2,
        "top_p": sampling.top_p is None or 0 < sampling.top_p <= 1,
        "top_k": sampling.top_k is None or sampling.top_k >= 1,
        "tokens": sampling.tokens >= 1,
    }
    for name, fits in sound.items():
        if not fits:
            raise SpecError(f"{where}{name} is {getattr(sampling, name)}: {_RANGES[name]}")


def request_for(system: System, item_key: str, question: str, sample_no: int = 0) -> Request[str]:
    """Build what a system is asked; an answer cut at its limit of tokens is taken as it is."""
    sampling = system.sampling
    return Request(
        item_key=item_key,
        messages=(Message("system", system.prompt), Message("user", question)),
        read=read_answer,
        max_tokens=sampling.tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        takes_cut=True,
        sample_no=sample_no,
        form="as plain text",
    )


def read_answer(text: str) -> str:
    """Return the answer, without the reasoning that some servers leave in it.

    Raises:
        Complaint: where nothing else was said.
    """
    answer = _THINKING.sub("", text).strip()
    if not answer:
        raise Complaint("it holds reasoning and no answer")
    return answer
