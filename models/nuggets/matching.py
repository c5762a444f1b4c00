"""Claims against nuggets: which pairs are read, and the state of every nugget and claim."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from medassay.models.nuggets.behind_question import questions_to_read
from medassay.models.nuggets.by_cosine import judge_by_cosine, pairs_at_threshold
from medassay.models.nuggets.by_reader import judge_by_reader, pairs_to_read, parts_to_read
from medassay.models.nuggets.evidence import (
    ClaimText,
    Entailment,
    EntailRequest,
    Held,
    MatchResult,
    MatchSettings,
)
from medassay.models.nuggets.states import decide

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


def read_further(
    answers: Sequence[Held],
    entailment: Entailment,
    settings: MatchSettings,
    read: Callable[[list[tuple[str, str]]], Entailment],
) -> Entailment:
    """Have pairs read that follow from the verdicts so far, and return all verdicts.

    Windows behind their question, then the facts of nuggets whose whole is in doubt.

    Args:
        answers: what is matched together.
        entailment: verdicts on `pairs_to_entail`.
        settings: of the reader's matcher.
        read: gives the verdicts on distinct (premise, hypothesis) pairs; what it leaves out stays unread.
    """
    known = dict(entailment)
    for further in (questions_to_read, parts_to_read):
        pairs = dict.fromkeys(pair for held in answers for pair in further(held, known, settings))
        known |= read(list(pairs))
    return known


def most_pairs_a_nugget(settings: MatchSettings = DEFAULTS) -> int:
    """Return how many pairs a nugget's short list asks for; claims nearest to it further down come on top."""
    return settings.windows_a_nugget if settings.matcher == "reader" else settings.shortlist_size


def check_shape(claims: Sequence[ClaimText], nuggets: Sequence[str], similarity: "np.ndarray") -> None:
    """Refuse a similarity that cannot belong to these claims and nuggets."""
    expected = (len(claims), len(nuggets))
    if tuple(similarity.shape) != expected:
        raise ValueError(f"similarity has shape {tuple(similarity.shape)}, claims × nuggets is {expected}")


def match(
    claims: Sequence[ClaimText],
    nuggets: Sequence[str],
    similarity: "np.ndarray",
    entailment: Entailment,
    settings: MatchSettings = DEFAULTS,
    question: str = "",
) -> MatchResult:
    """Give every nugget and every claim of one answer its state.

    The order of nuggets and of claims in the lists changes nothing: neighbours are found by position,
    ties are broken by text.

    Args:
        claims: the answer's claims; a non_claim never matches.
        nuggets: the nugget texts; a nugget's position is its index.
        similarity: cosines, shape (n_claims, n_nuggets).
        entailment: verdicts by (premise, hypothesis) as `pairs_to_entail` asked for them; may be empty.
        settings: matcher and cut-offs.
        question: what the answer is to; the reader's matcher takes from it what the answer leaves to it.

    Raises:
        ValueError: for a wrong shape, or two claims at one position.
    """
    check_shape(claims, nuggets, similarity)
    judgements = (
        judge_by_reader(Held(claims, nuggets, similarity, question), entailment, settings)
        if settings.matcher == "reader"
        else judge_by_cosine(claims, nuggets, similarity, entailment, settings)
    )
    of_nuggets, of_claims = decide(claims, nuggets, judgements, settings)
    assert [row.position for row in of_nuggets] == list(range(len(nuggets)))
    assert [row.position for row in of_claims] == [claim.position for claim in claims]
    return MatchResult(of_nuggets, of_claims, settings)
