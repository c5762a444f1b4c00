"""From log-odds of "Yes" to marks: a monotone line a sub-metric, fitted on this project's own pairs (Platt 1999)."""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from medassay.models.judges.judgement import SubMetric

Preset = Literal["statements", "quick"]
"""What is asked: about every statement by itself, or once a sub-metric about the whole answer."""
Line = Mapping[str, float]


@cache
def calibration(preset: Preset) -> Mapping[SubMetric, Line]:
    """Return intercept and slope per sub-metric: score = 100 × logistic(intercept + slope × log-odds)."""
    text = Path(__file__).with_name("calibration.json").read_text(encoding="utf-8")
    loaded: dict[SubMetric, Line] = json.loads(text)[preset]
    return loaded


def calibrated(sub_metric: SubMetric, log_odds: float, preset: Preset = "statements") -> int:
    """Map log-odds of "Yes" to an integer 0–100; monotone, since every slope is positive."""
    line = calibration(preset)[sub_metric]
    return round(100 / (1 + math.exp(-(line["intercept"] + line["slope"] * log_odds))))
