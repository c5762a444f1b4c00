"""A share of yes among yes and no, such as answers that failed."""

import math

from medassay.models.statistics.estimate import Estimate


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Return a proportion with Wilson's score interval (Wilson 1927, JASA 22:209–212).

    Sound for few trials and at 0 and 1, where resampling can only return the point (Brown, Cai & DasGupta 2001,
    Statist Sci 16:101–133). The trials are taken to be independent of each other.

    Raises:
        ValueError: for more successes than trials, or a negative number of them.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: a proportion needs 0 ≤ successes ≤ n")
    if n == 0:
        return Estimate(None, None, None, 0, "nothing was counted")
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Estimate(share, low, high, n)
