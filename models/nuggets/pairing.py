"""Which pairs are worth a reader's time: a short list, nearest first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.by_cosine import pairs_at_threshold
from medassay.models.nuggets.by_reader import pairs_to_read
from medassay.models.nuggets.evidence import ClaimText, EntailRequest, MatchSettings

if TYPE_CHECKING:
    import numpy as np

DEFAULTS = MatchSettings()


def pairs_to_entail(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    settings: MatchSettings = DEFAULTS,
) -> list[EntailRequest]:
    """List the pairs whose verdicts `match` will look up, each distinct (premise, hypothesis) once.

    Args:
        claims: the answer's claims; a non_claim is never asked about.
        nuggets: the nugget texts.
        similarity: cosines, shape (n_claims, n_nuggets).
        settings: matcher, floor and size of the short list.

    Raises:
        ValueError: when the shape of `similarity` is not (n_claims, n_nuggets).
    """
    check_shape(claims, nuggets, similarity)
    listed = pairs_to_read if settings.matcher == "reader" else pairs_at_threshold
    return listed(claims, nuggets, similarity, settings)


def most_pairs_a_nugget(settings: MatchSettings = DEFAULTS) -> int:
    """Return how many pairs a nugget's short list asks for; claims nearest to it further down come on top."""
    return settings.windows_a_nugget if settings.matcher == "reader" else settings.shortlist_size


def check_shape(claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray") -> None:
    """Refuse a similarity that cannot belong to these claims and nuggets."""
    expected = (len(claims), len(nuggets))
    if tuple(similarity.shape) != expected:
        raise ValueError(f"similarity has shape {tuple(similarity.shape)}, claims × nuggets is {expected}")
