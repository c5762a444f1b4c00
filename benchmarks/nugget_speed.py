"""How fast answers are matched: 1,000 answers × 10 nuggets, and one question with thousands of claims.

    python -m benchmarks.nugget_speed

Texts are sentences of our own minimal pairs; vectors are random mixtures, so that cosines spread from 0 to 1.
Embedding and entailment are not counted; the size of the short list is printed.
"""

import json
import resource
import time

from benchmarks.nugget_examples import PAIRS
from medassay.models.nuggets.evidence import ClaimText, MatchSettings
from medassay.models.nuggets.matching import match
from medassay.models.nuggets.pairing import pairs_to_entail
from medassay.models.nuggets.windows import window_vectors

SETTINGS = MatchSettings()


def main() -> int:
    """Print seconds by the clock and of the processor, pairs on the short list, and the memory it took."""
    for answers, claims, nuggets in ((1000, 12, 10), (1, 5000, 20)):
        seconds, worked, pairs = timed(answers, claims, nuggets)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{answers} answers × {claims} claims × {nuggets} nuggets: {seconds:.1f} s, "
            f"{worked:.1f} s of one processor, "
            f"{pairs / answers:.0f} pairs an answer on the short list, peak {memory:.0f} MB"
        )
    return 0


def timed(answers: int, n_claims: int, n_nuggets: int) -> tuple[float, float, int]:
    """Match that many answers.

    Returns seconds by the clock, seconds of the processor, and the pairs an entailment model would be asked.
    """
    import numpy as np

    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    random = np.random.default_rng(7)
    seconds, worked, pairs = 0.0, 0.0, 0
    for _ in range(answers):
        drawn = [rows[place] for place in random.integers(0, len(rows), n_nuggets)]
        nuggets = [row["nugget"] for row in drawn]
        subjects = random.normal(size=(n_nuggets, 384))
        about = random.integers(0, n_nuggets, n_claims)
        claims = [
            ClaimText(position, f"{drawn[subject]['text']} {position if n_claims > 100 else ''}".strip())
            for position, subject in enumerate(about)
        ]
        vectors = unit(subjects[about] + random.normal(size=(n_claims, 384)) * 0.7)
        targets = unit(subjects)
        started, busy = time.perf_counter(), time.process_time()
        similarity, around = vectors @ targets.T, window_vectors(claims, vectors) @ targets.T
        pairs += len(pairs_to_entail(claims, nuggets, similarity, SETTINGS))
        match(claims, nuggets, similarity, {}, SETTINGS, window_similarity=around)
        seconds, worked = seconds + time.perf_counter() - started, worked + time.process_time() - busy
    return seconds, worked, pairs


def unit(vectors):  # type: ignore[no-untyped-def]  # an array in, an array out
    """Scale rows to length 1."""
    import numpy as np

    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    raise SystemExit(main())
