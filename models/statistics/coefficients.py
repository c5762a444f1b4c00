"""Spearman's ρ, Pearson's r and Kendall's τ-b, of many short rows at once."""

from typing import Literal

import numpy as np

from medassay.models.statistics.resampling import CHUNK_CELLS, Floats

Method = Literal["spearman", "pearson", "kendall"]


def coefficients(method: Method, x: Floats, y: Floats) -> Floats:
    """Return the coefficient of every row of `x` with the same row of `y`, NaN where one of them is constant.

    Spearman 1904, Am J Psychol 15:72–101 (Pearson's r of midranks); Kendall 1945, Biometrika 33:239–251 (τ-b).

    Args:
        method: which coefficient.
        x: (rows, values).
        y: of the same shape.
    """
    if method == "kendall":
        return _kendall(x, y)
    if method == "spearman":
        from scipy.stats import rankdata

        x, y = rankdata(_snapped(x), axis=1), rankdata(_snapped(y), axis=1)
    return _pearson(x, y)


def _pearson(x: Floats, y: Floats) -> Floats:
    x_scale, y_scale = _largest(x), _largest(y)
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    x_size, y_size = np.sqrt((x**2).sum(axis=1)), np.sqrt((y**2).sum(axis=1))
    # Means of equal numbers can leave rounding errors, which are no variance.
    varied = (x_size > 1e-12 * x_scale) & (y_size > 1e-12 * y_scale)
    found: Floats = np.divide((x * y).sum(axis=1), x_size * y_size, out=np.full(len(x), np.nan), where=varied)
    return found.clip(-1.0, 1.0)


def _kendall(x: Floats, y: Floats) -> Floats:
    rows, n = x.shape
    found = np.full(rows, np.nan)
    step = max(1, CHUNK_CELLS // max(1, n * n))
    for start in range(0, rows, step):
        some = slice(start, start + step)
        a, b = _signs(x[some]), _signs(y[some])
        size = np.sqrt((a != 0).sum(axis=(1, 2)) * (b != 0).sum(axis=(1, 2)).astype(np.float64))
        total = np.einsum("rij,rij->r", a, b, dtype=np.float64)
        found[some] = np.divide(total, size, out=np.full(len(size), np.nan), where=size > 0)
    return found


def _signs(values: Floats) -> Floats:
    """Compare all pairs of a row; differences that rounding could have made are ties."""
    differences = values[:, :, None] - values[:, None, :]
    slack = 1e-12 * _largest(values)[:, None, None]
    return np.where(np.abs(differences) > slack, np.sign(differences), 0.0)


def _snapped(values: Floats) -> Floats:
    """Make what differs only by rounding errors the same, so that it ties."""
    scale = _largest(values)[:, None]
    found: Floats = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0).round(12)
    return found


def _largest(values: Floats) -> Floats:
    return np.asarray(np.abs(values).max(axis=1, initial=0.0), dtype=np.float64)
