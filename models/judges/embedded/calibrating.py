"""Fit the embedded judge's calibration: `python -m medassay.models.judges.embedded.calibrating MODEL.gguf`.

Platt scaling (Platt 1999, "Probabilistic outputs for support vector machines"): a logistic line from log-odds to
"this is the clean answer", with Platt's smoothed targets. One line a sub-metric, on its pairs with a plain error: of
subtle ones the log-odds say next to nothing.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.embedded.judge import EmbeddedJudge, log_odds_of
from medassay.models.judges.examining.licence import GoldPair, gold_pairs
from medassay.models.judges.judgement import SUB_METRICS, SubMetric

SOUND_TO_FLAWED = 3.0
_LEAST_SLOPE = 0.05


def platt_line(clean: Sequence[float], flawed: Sequence[float]) -> tuple[float, float]:
    """Fit (intercept, slope) so that logistic(intercept + slope × log-odds) is the chance of being clean.

    The slope is kept positive: more "Yes" must never mean a lower score.
    """
    from scipy.optimize import minimize

    high, low = (len(clean) + 1) / (len(clean) + 2), 1 / (len(flawed) + 2)
    points = [(x, high) for x in clean] + [(x, low) for x in flawed]

    def loss(line: Any, /) -> float:
        intercept, slope = float(line[0]), float(line[1])
        terms = ((t, intercept + slope * x) for x, t in points)
        return sum(math.log1p(math.exp(-abs(z))) + max(z, 0.0) - t * z for t, z in terms)

    fitted = minimize(loss, [0.0, 1.0], bounds=[(None, None), (_LEAST_SLOPE, None)])
    return float(fitted.x[0]), float(fitted.x[1])


def shifted(line: tuple[float, float]) -> dict[str, float]:
    """Lay a line out, moved from pairs of which half are flawed to answers as they are evaluated (Elkan 2001).

    Flawed in one sub-metric or another are fewer of these; experts call 95 % of MedAESQA's answers accurate, which are
    of the best systems of their year. Three of four is assumed.
    """
    intercept, slope = line
    return {"intercept": round(intercept + math.log(SOUND_TO_FLAWED), 3), "slope": round(slope, 3)}


def lines_of(
    found: Mapping[str, Mapping[SubMetric, float]], pairs: Sequence[GoldPair]
) -> dict[SubMetric, dict[str, float]]:
    """Fit a line a sub-metric, and say how many of its pairs are ordered right; `found` has log-odds by input key."""
    lines = {}
    for name in SUB_METRICS:
        own = [pair for pair in pairs if pair.sub_metric == name]
        clean = [found[pair.clean.input_key][name] for pair in own]
        flawed = [found[pair.flawed.input_key][name] for pair in own]
        lines[name] = shifted(platt_line(clean, flawed))
        right = sum(c > f for c, f in zip(clean, flawed, strict=True))
        print(f"{name}: {right} of {len(own)} tuning pairs ordered right", file=sys.stderr)
    return lines


def main() -> None:
    """Fit and print the calibration; the model's file is the one argument."""
    pairs = [pair for pair in gold_pairs() if pair.half == "tune" and pair.level == "plain"]
    with EmbeddedJudge(Path(sys.argv[1])) as judge:
        found = {
            shown.input_key: log_odds_of(judge.ask(shown, MemoryLedger()))
            for pair in pairs
            for shown in (pair.clean, pair.flawed)
        }
    print(json.dumps(lines_of(found, pairs), indent=1))


if __name__ == "__main__":
    main()
