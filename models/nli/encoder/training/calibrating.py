"""Calibration: temperature and three shifts, fitted on development logits."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from medassay.models.nli.settings import Calibration

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Logits = NDArray[np.float32]
    Labels = NDArray[np.int64]

LEAST_TEMPERATURE = 0.05
"""Where all of the development pairs are right the best temperature is 0, by which nothing can be divided."""


def fit_calibration(by_set: Mapping[str, tuple["Labels", "Logits"]]) -> Calibration:
    """Minimise the log loss, each set counting alike, with a light pull to no shift (Guo et al. 2017, section 4.2)."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    def loss(x: "NDArray[np.float64]") -> float:
        shift, temperature = np.array([x[1], 0.0, x[2]]), np.exp(x[0])
        per_set = [
            -log_softmax((logits + shift) / temperature, axis=1)[np.arange(len(labels)), labels].mean()
            for labels, logits in by_set.values()
        ]
        return float(np.mean(per_set) + 0.02 * (x[1] ** 2 + x[2] ** 2))

    best = minimize(
        loss, np.zeros(3), method="Nelder-Mead", options={"maxiter": 2000, "xatol": 1e-4, "fatol": 1e-6}
    )
    temperature = max(LEAST_TEMPERATURE, round(float(np.exp(best.x[0])), 4))
    return Calibration(temperature, (round(float(best.x[1]), 4), 0.0, round(float(best.x[2]), 4)))
