"""How well turned-around nuggets are seen: recall and precision of `contradicted` on our own minimal pairs, by kind.

    python -m benchmarks.contrast_pairs [--entailment embedded] [--failures]

A third of the nuggets is held out by a hash: the checks were written looking at the others.
"""

import argparse
from collections import Counter
from collections.abc import Sequence

from benchmarks.nugget_examples import Example, own_pairs, read_by, remembering
from benchmarks.nugget_fitting import STATE_OF
from models.embedding import load_embedder
from models.nuggets.evidence import MatchSettings
from models.nuggets.matching import match

SETTINGS = MatchSettings()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table by kind for the pairs the checks were written on, and for those held out."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--embedder", default="embedded")
    parser.add_argument("--entailment", default="none")
    parser.add_argument(
        "--failures", action="store_true", help="list the failures among the pairs not held out"
    )
    asked = parser.parse_args(arguments)
    encode = remembering(load_embedder(asked.embedder).encode)
    for name, held_out in (("seen while writing the checks", False), ("held out", True)):
        examples = own_pairs(encode, held_out)
        if asked.entailment != "none":
            from models.entailment.loading import load_entailment

            examples = read_by(load_entailment(asked.entailment), examples, SETTINGS)
        states = [state_of(one) for one in examples]
        print(f"{name}: {len(examples)} pairs")
        show(examples, [state for state, _ in states])
        if asked.failures and not held_out:
            for one, (state, reason) in zip(examples, states, strict=True):
                if (state == "contradicted") != (one.label == "contradiction"):
                    print(f"  {one.name}: {state}; {one.nugget} | {one.claims[0].text} | {reason}")
    return 0


def state_of(one: Example) -> tuple[str, str]:
    """Match one pair as an answer of one claim."""
    row = match(one.claims, [one.nugget], one.similarity, one.entailment, SETTINGS).nuggets[0]
    return row.state, row.reason


def show(examples: Sequence[Example], states: Sequence[str]) -> None:
    """Print recall and precision of `contradicted` by kind, and where the three relations end up."""
    print(f"  {'kind':12s} {'turned':>7s} {'recall':>7s} {'fired':>6s} {'precision':>10s}")
    kinds = sorted({one.kind for one in examples})
    for kind in [*kinds, "all"]:
        rows = [
            (one, state) for one, state in zip(examples, states, strict=True) if kind in ("all", one.kind)
        ]
        turned = sum(one.label == "contradiction" for one, _ in rows)
        fired = sum(state == "contradicted" for _, state in rows)
        right = sum(state == "contradicted" and one.label == "contradiction" for one, state in rows)
        print(f"  {kind:12s} {turned:7d} {ratio(right, turned):>7s} {fired:6d} {ratio(right, fired):>10s}")
    for relation in STATE_OF:
        ended = Counter(state for one, state in zip(examples, states, strict=True) if one.label == relation)
        print(f"  {relation} pairs end as " + ", ".join(f"{state} {n}" for state, n in ended.most_common()))


def ratio(part: int, whole: int) -> str:
    """Write a ratio, or a dash where there is nothing to divide by."""
    return f"{part / whole:.2f}" if whole else "–"


if __name__ == "__main__":
    raise SystemExit(main())
