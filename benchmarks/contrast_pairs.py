"""How well turned-around nuggets are seen: recall and precision of `contradicted` on our own minimal pairs, by kind.

    python -m benchmarks.contrast_pairs [--entailment none] [--failures]

A third of the nuggets is held out by a hash: the checks were written looking at the others. The fluent pairs are
short answers whose turned sentence leans on the one before it. The physicians' own answers beside their own nuggets
say how often the checks fire where nothing is turned around; they are read where the shared data is there.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from benchmarks.nugget_examples import (
    Example,
    fluent_pairs,
    labels_file,
    own_pairs,
    physicians_own,
    read_by,
    remembering,
)
from benchmarks.nugget_fitting import STATE_OF
from medassay.models.embedding import load_embedder
from medassay.models.entailment.protocol import EntailmentModel
from medassay.models.nuggets.evidence import MatchSettings
from medassay.models.nuggets.matching import match
from medassay.models.statistics.proportion import wilson

SETTINGS = MatchSettings()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table by kind for the pairs the checks were written on, and for those held out."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--embedder", default="embedded")
    parser.add_argument("--entailment", default="embedded", help="or none: the signals alone")
    parser.add_argument(
        "--failures", action="store_true", help="list the failures among the pairs not held out"
    )
    asked = parser.parse_args(arguments)
    encode = remembering(load_embedder(asked.embedder).encode)
    sets = {
        "seen while writing the checks": own_pairs(encode, held_out=False),
        "held out": own_pairs(encode, held_out=True),
        "fluent answers": fluent_pairs(encode),
    }
    for name, read in sets.items():
        examples = read_by(load(asked.entailment), read, SETTINGS) if asked.entailment != "none" else read
        states = [state_of(one) for one in examples]
        print(f"{name}: {len(examples)} pairs")
        show(examples, [state for state, _ in states])
        if asked.failures and name != "held out":
            for one, (state, reason) in zip(examples, states, strict=True):
                if (state == "contradicted") != (one.label == "contradiction"):
                    said = " ".join(claim.text for claim in one.claims)
                    print(f"  {one.name}: {state}; {one.nugget} | {said} | {reason}")
    if labels_file().exists():
        examples = physicians_own(encode)
        if asked.entailment != "none":
            examples = read_by(load(asked.entailment), examples, SETTINGS)
        show_false_alarms(examples, asked.failures)
    return 0


@lru_cache(maxsize=1)
def load(spec: str) -> EntailmentModel:
    """Load the entailment model once."""
    from medassay.models.entailment.loading import load_entailment

    return load_entailment(spec)


def show_false_alarms(examples: Sequence[Example], listed: bool) -> None:
    """Print how the nuggets end in the very answers they were drawn from."""
    ended: Counter[str] = Counter()
    for one in examples:
        found = match(
            one.claims,
            one.nuggets,
            one.similarity,
            one.entailment,
            SETTINGS,
            one.question,
            one.window_similarity,
        )
        for row in found.nuggets:
            ended[row.state] += 1
            if listed and row.state == "contradicted":
                print(f"  {one.name}: {one.nuggets[row.position]} | {row.reason}")
    total = sum(ended.values())
    print(
        f"physicians' own answers: {len(examples)} answers, {total} nuggets end as "
        + ", ".join(f"{state} {n} ({n / total:.1%})" for state, n in ended.most_common())
        + f"; of 100 are called contradicted {ratio(ended['contradicted'], total, 100)}"
    )


def state_of(one: Example) -> tuple[str, str]:
    """Match one pair as an answer of one claim."""
    where = one.claims, one.nuggets, one.similarity, one.entailment, SETTINGS
    row = match(*where, one.question, one.window_similarity).nuggets[one.place]
    return row.state, row.reason


def show(examples: Sequence[Example], states: Sequence[str]) -> None:
    """Print recall and precision of `contradicted` by kind with intervals, and where the three relations end up."""
    print(f"  {'kind':12s} {'turned':>7s} {'recall (95 %)':>20s} {'fired':>6s} {'precision (95 %)':>20s}")
    kinds = sorted({one.kind for one in examples})
    for kind in [*kinds, "all"]:
        rows = [
            (one, state) for one, state in zip(examples, states, strict=True) if kind in ("all", one.kind)
        ]
        turned = sum(one.label == "contradiction" for one, _ in rows)
        fired = sum(state == "contradicted" for _, state in rows)
        right = sum(state == "contradicted" and one.label == "contradiction" for one, state in rows)
        print(f"  {kind:12s} {turned:7d} {ratio(right, turned):>20s} {fired:6d} {ratio(right, fired):>20s}")
    for relation in STATE_OF:
        ended = Counter(state for one, state in zip(examples, states, strict=True) if one.label == relation)
        print(f"  {relation} pairs end as " + ", ".join(f"{state} {n}" for state, n in ended.most_common()))


def ratio(part: int, whole: int, of: int = 1) -> str:
    """Write a ratio with its Wilson interval, or a dash where there is nothing to divide by."""
    found = wilson(part, whole)
    if found.value is None or found.low is None or found.high is None:
        return "–"
    return f"{of * found.value:.2f} ({of * found.low:.2f}–{of * found.high:.2f})"


if __name__ == "__main__":
    raise SystemExit(main())
