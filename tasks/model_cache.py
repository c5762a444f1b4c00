"""Cache of loaded models between runs of one process."""

from collections.abc import Callable
from typing import TypeVar

from medassay.models.weights import cache_folder
from medassay.models.weights.hub import hub_is_closed

Loaded = TypeVar("Loaded")
_kept: dict[str, tuple[object, object]] = {}
_is_on = [False]


def keep_models() -> None:
    """Keep one loaded model a role from now on, until the process ends; runs of the command load and let go."""
    _is_on[0] = True


def loaded(role: str, spec: str, load: Callable[[], Loaded]) -> Loaded:
    """Return the model of this role and spec: the kept one where it was loaded under the same conditions.

    Args:
        role: what it does, such as `entailment`; one model a role is kept.
        spec: which model is asked for.
        load: loads it.
    """
    if not _is_on[0]:
        return load()
    asked = (spec, cache_folder(), hub_is_closed())
    kept = _kept.get(role)
    if kept is None or kept[0] != asked:
        _kept.pop(role, None)
        kept = _kept[role] = (asked, load())
    model: Loaded = kept[1]  # type: ignore[assignment]
    return model
