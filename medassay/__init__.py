"""Measure biomedical answers from Python: rows in, frames out; no server and no folder of state needed.

import medassay

result = medassay.evaluate("my_answers/")        # or rows, a DataFrame, a mapping of tables
result.systems                                   # a frame with a row per system; also .answers, .claims
result.report("report.html")
result.assert_at_least(citation_precision=0.8)   # for CI
"""

from importlib.metadata import PackageNotFoundError, version

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

try:
    __version__ = version("medassay")
except PackageNotFoundError:  # a checkout on the path that was never installed
    __version__ = "0+unknown"

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
