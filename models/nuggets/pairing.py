"""Which pairs are worth an entailment model's time: a short list, nearest first."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.by_reader import pairs_to_read
from medassay.models.nuggets.combination import packaged_fit
from medassay.models.nuggets.evidence import ClaimText, EntailRequest, MatchSettings, Role
from medassay.models.nuggets.windows import by_position, window_of, window_text

if TYPE_CHECKING:
    import numpy as np

DEFAULTS = MatchSettings()


def pairs_to_entail(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    settings: MatchSettings = DEFAULTS,
    roles: Collection[Role] | None = None,
) -> list[EntailRequest]:
    """List the pairs whose verdicts `match` will look up, each distinct (premise, hypothesis) once.

    For every nugget the `shortlist_size` most similar claims at or above `shortlist_floor`, and the window of the
    nearest. For every claim its nearest nugget, so that no claim goes unread.

    Args:
        claims: the answer's claims; a non_claim is never asked about.
        nuggets: the nugget texts.
        similarity: cosines, shape (n_claims, n_nuggets).
        settings: floor and size of the short list.
        roles: what to ask for; None asks for what the settings' matcher reads (see `roles_read`).

    Raises:
        ValueError: when the shape of `similarity` is not (n_claims, n_nuggets).
    """
    if settings.matcher == "reader":
        check_shape(claims, nuggets, similarity)
        return pairs_to_read(claims, nuggets, similarity, settings)
    wanted_roles = roles_read(settings) if roles is None else roles
    known = by_position(claims)
    asked: set[tuple[str, str]] = set()
    requests: list[EntailRequest] = []
    for index, nugget_position, is_nearest in shortlist(claims, nuggets, similarity, settings):
        claim, nugget = claims[index], nuggets[nugget_position]
        window = window_of(claim.position, known)
        wanted = [
            EntailRequest(claim.text, nugget, "forward", claim.position, (claim.position,), nugget_position),
            EntailRequest(nugget, claim.text, "reverse", claim.position, (claim.position,), nugget_position),
        ]
        if is_nearest and len(window) > 1:
            text = window_text(window, known)
            wanted.append(EntailRequest(text, nugget, "window", claim.position, window, nugget_position))
        for request in wanted:
            pair = (request.premise, request.hypothesis)
            if request.role in wanted_roles and pair not in asked:
                asked.add(pair)
                requests.append(request)
    return requests


def roles_read(settings: MatchSettings) -> frozenset[Role]:
    """Return the verdicts the matcher makes use of: contradiction always, the others where the fit weighs them."""
    if settings.matcher == "reader":
        return frozenset({"window"})
    if settings.matcher == "cosine" or packaged_fit().entailment is None:
        return frozenset({"forward"})
    return frozenset({"forward", "reverse", "window"})


def floor_of(settings: MatchSettings) -> float:
    """Return the least cosine of a pair that is read: the cosine rule looks at nothing under its threshold."""
    return settings.threshold if settings.matcher == "cosine" else settings.shortlist_floor


def most_pairs_a_nugget(settings: MatchSettings = DEFAULTS) -> int:
    """Return how many pairs a nugget's short list asks for; claims nearest to it further down come on top."""
    if settings.matcher == "reader":
        return settings.windows_a_nugget
    roles = roles_read(settings)
    return settings.shortlist_size * len(roles - {"window"}) + ("window" in roles)


def shortlist(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    settings: MatchSettings = DEFAULTS,
) -> Iterator[tuple[int, int, bool]]:
    """Yield (index of claim, position of nugget, is the nugget's nearest), by nugget, nearest first."""
    import numpy as np

    check_shape(claims, nuggets, similarity)
    rows = [index for index, claim in enumerate(claims) if claim.kind == "claim"]
    if not rows or not nuggets:
        return
    cosines = np.round(np.asarray(similarity, dtype=np.float64)[rows], 6)
    floor = floor_of(settings)
    best_of_claim = cosines.max(axis=1)
    for position in range(len(nuggets)):
        column = cosines[:, position]
        reach = np.flatnonzero(column >= floor)
        ranked = sorted(reach.tolist(), key=lambda row: (-column[row], claims[rows[row]].text, rows[row]))
        for rank, row in enumerate(ranked):
            if rank < settings.shortlist_size or column[row] == best_of_claim[row]:
                yield rows[row], position, rank == 0


def check_shape(claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray") -> None:
    """Refuse a similarity that cannot belong to these claims and nuggets."""
    expected = (len(claims), len(nuggets))
    if tuple(similarity.shape) != expected:
        raise ValueError(f"similarity has shape {tuple(similarity.shape)}, claims × nuggets is {expected}")
