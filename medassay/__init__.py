"""Measure biomedical answers from Python: rows in, frames out; no server and no folder of state needed.

import medassay

result = medassay.evaluate("my_answers/")        # or rows, a DataFrame, a mapping of tables
result.systems                                   # a frame with a row per system; also .answers, .claims
result.report("report.html")
result.assert_at_least(citation_precision=0.8)   # for CI
result.gate("medassay.toml").assert_passed()     # for CI, with rules of single answers and a committed baseline

PYTEST_DONT_REWRITE: the plugin for pytest asserts nothing, and whoever has imported MedAssay is not warned.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medassay.acts import (
        NuggetScores,
        NuggetState,
        ParsedCitation,
        Verdict,
        parse_citations,
        score_nuggets,
        verify,
    )
    from medassay.evaluation import evaluate
    from medassay.result import BelowBound, Result

    __version__: str

__all__ = [
    "BelowBound",
    "NuggetScores",
    "NuggetState",
    "ParsedCitation",
    "Result",
    "Verdict",
    "__version__",
    "evaluate",
    "parse_citations",
    "score_nuggets",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the plugin for pytest is loaded in every project that has MedAssay."""
    if name in ("acts", "data", "errors", "evaluation", "result"):
        return import_module(f"medassay.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        found: Any = _version()
    else:
        home = {"evaluate": "evaluation", "BelowBound": "result", "Result": "result"}.get(name, "acts")
        found = getattr(import_module(f"medassay.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("medassay")
    except PackageNotFoundError:  # a checkout on the path that was never installed
        return "0+unknown"
