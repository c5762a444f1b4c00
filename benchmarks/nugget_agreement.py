"""How well the matcher agrees with physicians: κ on K-QA's development labels, with its interval.

    python -m benchmarks.nugget_agreement [--entailment none] [--fit] [--worst 20]

`--fit` fits the coefficients anew and writes them to the package. The κ of the combined matcher is always that of
a cross-validation by question; the packaged coefficients have seen every label.
"""

import argparse
import datetime
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.nugget_examples import (
    PAIRS,
    Example,
    labels_file,
    own_pairs,
    physicians,
    read_by,
    remembering,
)
from benchmarks.nugget_fitting import STATE_OF, as_json, cross_validated, fit, kappa_interval, predict
from medassay.models.embedding import load_embedder
from medassay.models.nuggets.combination import Fit, packaged_fit
from medassay.models.nuggets.evidence import MatchSettings
from medassay.models.nuggets.matching import match

COEFFICIENTS = Path(__file__).parents[1] / "models" / "nuggets" / "coefficients.json"
SETTINGS = MatchSettings()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and fit where asked to."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--embedder", default="embedded")
    parser.add_argument("--entailment", default="embedded", help="or none: the signals alone")
    parser.add_argument("--fit", action="store_true", help="fit the coefficients anew and write them")
    parser.add_argument("--worst", type=int, default=0, help="list that many disagreements, the surest first")
    asked = parser.parse_args(arguments)
    if not labels_file().exists():
        print(f"no labels at {labels_file()}; they are shared beside the checkout", file=sys.stderr)
        return 3
    embedder = load_embedder(asked.embedder)
    encode = remembering(embedder.encode)
    doctors, own = physicians(encode), own_pairs(encode, held_out=False)
    fingerprints: dict[str, Any] = {"embedder": embedder.fingerprint, "entailment": None}
    if asked.entailment != "none":
        from medassay.models.entailment.loading import load_entailment

        model = load_entailment(asked.entailment)
        fingerprints["entailment"] = model.fingerprint
        doctors, own = read_by(model, doctors, SETTINGS), read_by(model, own, SETTINGS)
    read = asked.entailment != "none"
    figures = measure(doctors, own, read)
    if asked.fit:
        # one run fits both variants: without verdicts, and with them where there is a model
        fitted = fit([*doctors, *own], read)
        if read and figures["entailment"][0] <= figures["signals"][0]:
            print("the entailment model adds nothing to the agreement: its variant is not kept")
            fitted = Fit(fitted.signals)
        COEFFICIENTS.write_text(
            as_json(fitted, provenance(doctors, own, figures, fingerprints)), encoding="utf-8"
        )
        packaged_fit.cache_clear()
        print(f"written: {COEFFICIENTS.name}")
    if asked.worst:
        show_worst(doctors, asked.worst)
    return 0


def measure(doctors: Sequence[Example], own: Sequence[Example], read: bool) -> dict[str, Any]:
    """Print κ of each matcher and return what is kept as provenance."""
    plain = [predict(one, None, MatchSettings(matcher="cosine")) for one in doctors]
    report("cosine ≥ 0.75", doctors, plain)
    figures = {"cosine": kappa_interval(doctors, plain)}
    unread = [
        Example(**{n: getattr(one, n) for n in one.__dataclass_fields__} | {"entailment": {}})
        for one in doctors
    ]
    crossed = cross_validated(unread, own, False, SETTINGS)
    report("combined, no entailment model, cross-validated", doctors, crossed)
    figures["signals"] = kappa_interval(doctors, crossed)
    if read:
        crossed = cross_validated(doctors, own, True, SETTINGS)
        report("combined, with entailment, cross-validated", doctors, crossed)
        figures["entailment"] = kappa_interval(doctors, crossed)
    return {name: [round(value, 3) for value in figure] for name, figure in figures.items()}


def report(name: str, examples: Sequence[Example], predicted: Sequence[str]) -> None:
    """Print κ with its interval, and the table of physicians' by predicted states."""
    value, low, high = kappa_interval(examples, predicted)
    print(f"{name}: κ {value:.2f} (95 % {low:.2f} to {high:.2f}, questions resampled, n = {len(examples)})")
    cells = Counter((STATE_OF[one.label], state) for one, state in zip(examples, predicted, strict=True))
    states = ("covered", "contradicted", "missing")
    print(f"  {'physicians':14s}" + "".join(f"{state:>14s}" for state in states))
    for truth in states:
        print(f"  {truth:14s}" + "".join(f"{cells[truth, state]:14d}" for state in states))


def show_worst(examples: Sequence[Example], most: int) -> None:
    """List the disagreements of the packaged fit, the surest first."""
    listed = []
    for one in examples:
        result = match(
            one.claims,
            one.nuggets,
            one.similarity,
            one.entailment,
            SETTINGS,
            one.question,
            one.window_similarity,
        )
        row = result.nuggets[one.place]
        state = "missing" if row.state == "partial" else row.state
        if state != STATE_OF[one.label]:
            listed.append((abs((row.score or 0.0) - SETTINGS.threshold), one.name, STATE_OF[one.label], row))
    for sure, name, truth, row in sorted(listed, key=lambda item: (-item[0], item[1]))[:most]:
        print(
            f"{name}: physicians {truth}, matcher {row.state} ({sure:.2f} from the threshold): {row.reason}"
        )


def provenance(
    doctors: Sequence[Example], own: Sequence[Example], figures: dict[str, Any], fingerprints: dict[str, Any]
) -> dict[str, Any]:
    """Say on what the coefficients were fitted, how well, and with which models."""
    return {
        "fitted": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "kappa_low_high": figures,
        "kappa_note": "three states, majority of three physicians, cross-validated by question",
        "physicians_labels": {
            "rows": len(doctors),
            "sha256": hashlib.sha256(labels_file().read_bytes()).hexdigest(),
        },
        "own_pairs": {"rows": len(own), "sha256": hashlib.sha256(PAIRS.read_bytes()).hexdigest()},
        "fingerprints": fingerprints,
    }


if __name__ == "__main__":
    raise SystemExit(main())
