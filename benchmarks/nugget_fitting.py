"""Fitting the combined matcher: a ridge logistic regression over few signals, its cut, its cross-validation."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.nugget_examples import Example
from medassay.models.nuggets.combination import Fit, Model, entailment_signals, signals_of
from medassay.models.nuggets.evidence import MatchSettings
from medassay.models.nuggets.matching import candidates, match, with_own_windows

if TYPE_CHECKING:
    import numpy as np

SIGNALS = ("cosine", "wide_words", "own_word", "said")
WITH_ENTAILMENT = (*SIGNALS, "follows", "follows_back")
RIDGE = 1.0  # one prior observation on every standardised coefficient
OWN_WEIGHT = 0.1  # of an own pair beside a physician's label
ROUNDS = 5  # of choosing each nugget's best pair and fitting again
STATE_OF = {"entailment": "covered", "contradiction": "contradicted", "neutral": "missing"}


def fit(examples: Sequence[Example], entailment: bool) -> Fit:
    """Fit both variants; the one with entailment only where the examples have verdicts.

    Without entailment only the physicians' labels count: our own pairs are all close in words, and would
    teach that a high cosine settles the matter.
    """
    signals = fit_variant(
        [one for one in examples if one.kind == "kqa" and one.label != "contradiction"], SIGNALS
    )
    return Fit(signals, fit_variant(examples, WITH_ENTAILMENT) if entailment else None)


def fit_variant(examples: Sequence[Example], names: tuple[str, ...]) -> Model:
    """Fit one variant on the best pair of every nugget, chosen by the fit itself, a few rounds long.

    The labels of a source count the same in all, however rare; our own pairs count `OWN_WEIGHT`.
    """
    import numpy as np

    usable = [one for one in examples if table(one, names).size]
    hit = np.array([one.label == "entailment" for one in usable], float)
    weight = weights(
        [("kqa" if one.kind == "kqa" else "own", bool(label)) for one, label in zip(usable, hit, strict=True)]
    )
    direction = np.ones(len(names))
    intercept = 0.0
    for _ in range(ROUNDS):
        best = np.array([rows[np.argmax(rows @ direction)] for rows in (table(one, names) for one in usable)])
        intercept, direction = logistic(best, hit, weight)
    physicians = [place for place, one in enumerate(usable) if one.kind == "kqa"]
    totals = best @ direction + intercept
    cut = best_cut(totals[physicians], hit[physicians])
    rounded = {name: round(float(value), 4) for name, value in zip(names, direction, strict=True)}
    return Model(round(float(intercept), 4), rounded, round(cut, 4))


def table(one: Example, names: tuple[str, ...]) -> "np.ndarray":
    """Return the signals of every candidate pair of an example, shape (pairs, signals)."""
    import numpy as np

    rows = []
    for pair in with_own_windows(candidates(one.claims, one.nuggets, one.similarity, one.window_similarity)):
        if pair.nugget_position != one.place:
            continue
        signals = signals_of(pair, one.question)
        if len(names) > len(SIGNALS):
            asked = entailment_signals(pair, one.entailment)
            if asked is None:
                continue
            signals |= asked
        rows.append([signals[name] for name in names])
    return np.array(rows)


def weights(cells: Sequence[tuple[str, bool]]) -> "np.ndarray":
    """Weigh examples so that the labels of a source count the same in all."""
    import numpy as np

    counts = {cell: cells.count(cell) for cell in set(cells)}
    sources = {source: sum(cell[0] == source for cell in cells) for source, _ in cells}
    return np.array(
        [sources[cell[0]] / 2 / counts[cell] * (OWN_WEIGHT if cell[0] == "own" else 1.0) for cell in cells]
    )


def logistic(x: "np.ndarray", y: "np.ndarray", weight: "np.ndarray") -> "tuple[float, np.ndarray]":
    """Fit a ridge logistic regression on standardised columns; returns it in the columns' own units."""
    import numpy as np
    from scipy.optimize import minimize

    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.hstack([np.ones((len(x), 1)), (x - middle) / spread])
    penalty = np.r_[0.0, np.full(x.shape[1], RIDGE)]

    def loss(b: np.ndarray) -> tuple[float, np.ndarray]:
        total = z @ b
        value = np.sum(weight * (np.logaddexp(0, total) - y * total)) + 0.5 * np.sum(penalty * b * b)
        slope = z.T @ (weight * (1 / (1 + np.exp(-total)) - y)) + penalty * b
        return float(value), slope

    # a signal that is evidence for cannot become evidence against
    bounds = [(None, None)] + [(0.0, None)] * x.shape[1]
    found = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    slopes = found[1:] / spread
    return float(found[0] - slopes @ middle), slopes


def best_cut(totals: "np.ndarray", hit: "np.ndarray") -> float:
    """Return the cut above which as many lie as there are hits.

    κ is near its best where the margins agree, and this cut moves little with single rows; the top of the
    κ curve over a hundred rows is a spike.
    """
    import numpy as np

    return float(np.quantile(totals, 1 - hit.mean()))


def predict(one: Example, fitted: Fit | None, settings: MatchSettings) -> str:
    """Return the state of an example's nugget; `partial` counts as missing, as the physicians' neutral does.

    Without a fit the package's coefficients are used.
    """
    result = match(
        one.claims,
        one.nuggets,
        one.similarity,
        one.entailment,
        settings,
        one.question,
        one.window_similarity,
        fitted,
    )
    state = result.nuggets[one.place].state
    return "missing" if state == "partial" else state


def cross_validated(
    examples: Sequence[Example], besides: Sequence[Example], entailment: bool, settings: MatchSettings
) -> list[str]:
    """Predict every example by a fit that has not seen its group."""
    predictions: dict[str, str] = {}
    for group in dict.fromkeys(one.group for one in examples):
        fitted = fit([*(one for one in examples if one.group != group), *besides], entailment)
        predictions |= {one.name: predict(one, fitted, settings) for one in examples if one.group == group}
    return [predictions[one.name] for one in examples]


def kappa(left: Sequence[object], right: Sequence[object]) -> float:
    """Return Cohen's κ; 0 where chance alone explains everything (Cohen 1960)."""
    n = len(left)
    agreed = sum(a == b for a, b in zip(left, right, strict=True)) / n
    values = set(left) | set(right)
    chance = sum(list(left).count(v) * list(right).count(v) for v in values) / n**2
    return (agreed - chance) / (1 - chance) if chance < 1 else 0.0


def kappa_interval(
    examples: Sequence[Example], predicted: Sequence[str], resamples: int = 2000, seed: int = 20261121
) -> tuple[float, float, float]:
    """Return κ and its 95 % percentile interval, questions resampled."""
    import numpy as np

    truth = [STATE_OF[one.label] for one in examples]
    groups = list(dict.fromkeys(one.group for one in examples))
    rows_of = {group: [row for row, one in enumerate(examples) if one.group == group] for group in groups}
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        rows = [
            row for place in random.integers(0, len(groups), len(groups)) for row in rows_of[groups[place]]
        ]
        drawn.append(kappa([truth[row] for row in rows], [predicted[row] for row in rows]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return kappa(truth, predicted), float(low), float(high)


def as_json(fitted: Fit, provenance: dict[str, object]) -> str:
    """Write a fit as the package keeps it."""
    variants = {
        name: {"intercept": model.intercept, "coefficients": dict(model.coefficients), "cut": model.cut}
        for name, model in (("signals", fitted.signals), ("entailment", fitted.entailment))
        if model is not None
    }
    return json.dumps({"variants": variants, "provenance": provenance}, indent=2, ensure_ascii=False) + "\n"
