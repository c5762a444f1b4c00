"""How good an entailment model is: macro-F1 a set with intervals, calibration, minimal pairs; beside two floors.

Run from the checkout:
    python -m benchmarks.entail_quality ../shared/data/nli [--entailment embedded] [--base FOLDER] [--json] [--plot SVG]

A set is a folder with `dev.jsonl.gz`; one that has only `train.jsonl.gz` is measured on the fifth of its documents that
training leaves out. Macro-F1 is over the labels that occur in gold.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reliability import reliability_svg
from medassay.models.entailment import EntailmentModel, load_entailment
from medassay.models.entailment.labels import LABELS
from medassay.models.entailment.training.calibrating import calibration_error
from medassay.models.entailment.training.pairs import LabelledPair, held_out, read_set
from medassay.models.entailment.training.run import SETS, macro_f1

CONTRAST = Path(__file__).parent / "data" / "contrast_pairs.jsonl"
Labels = NDArray[np.int64]
Scores = NDArray[np.float64]


def development(folder: Path) -> list[LabelledPair]:
    """Read a set's development part, or the documents of its training part that training leaves out."""
    return read_set(folder, "dev") or [pair for pair in read_set(folder, "train") if held_out(pair)]


def resampled(gold: Labels, said: Labels, docs: list[str], rounds: int = 1000) -> Scores:
    """Macro-F1 of `rounds` bootstrap samples of documents."""
    chance = np.random.default_rng(len(gold))
    by_doc: dict[str, list[int]] = defaultdict(list)
    for i, doc in enumerate(docs):
        by_doc[doc].append(i)
    groups = [np.array(rows) for rows in by_doc.values()]
    scores = []
    for _ in range(rounds):
        rows = np.concatenate([groups[i] for i in chance.integers(0, len(groups), len(groups))])
        scores.append(macro_f1(gold[rows].tolist(), said[rows].tolist()))
    return np.array(scores)


def interval(scores: Scores) -> tuple[float, float]:
    """Where 95 % of the samples lie."""
    low, high = np.percentile(scores, [2.5, 97.5])
    return float(low), float(high)


def judged(
    model: EntailmentModel, pairs: list[tuple[str, str]], say: Callable[[str], None]
) -> NDArray[np.float32]:
    """Score pairs: (n, 3) probabilities; what abstained counts as neutral."""
    done = 0

    def on_progress(more: int) -> None:
        nonlocal done
        done += more
        say(f"\r{done} / {len(pairs)} pairs")

    verdicts = model.score(pairs, on_progress)
    say("\n")
    rows = [
        (v.entailment, v.neutral, v.contradiction) if v.reason is None else (0.0, 1.0, 0.0) for v in verdicts
    ]
    return np.array(rows, dtype=np.float32)


def measure_set(
    model: EntailmentModel, folder: Path, say: Callable[[str], None]
) -> tuple[dict[str, Any], tuple[Labels, NDArray[np.float32]], Scores]:
    """Measure one set: the figures, the labels with the probabilities that they come from, and resampled macro-F1."""
    pairs = development(folder)
    gold = np.array([p.label for p in pairs])
    probabilities = judged(model, [(p.premise, p.hypothesis) for p in pairs], say)
    said = probabilities.argmax(1)
    usual = Counter(p.label for p in read_set(folder, "train")).most_common(1)[0][0]
    scores = resampled(gold, said, [p.doc for p in pairs])
    low, high = interval(scores)
    figures = {
        "set": folder.name,
        "n": len(pairs),
        "macro_f1": macro_f1(gold.tolist(), said.tolist()),
        "low": low,
        "high": high,
        "accuracy": float((gold == said).mean()),
        "floor": macro_f1(gold.tolist(), [usual] * len(gold)),
        "ece": calibration_error(gold, probabilities),
        "confusion": [[int(((gold == g) & (said == s)).sum()) for s in range(3)] for g in range(3)],
    }
    return figures, (gold, probabilities), scores


def measure_contrasts(model: EntailmentModel, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure recall of each label on the project's own minimal pairs, by kind of contrast; none is trained on."""
    rows = [json.loads(line) for line in CONTRAST.read_text("utf-8").splitlines()]
    said = judged(model, [(r["nugget"], r["text"]) for r in rows], say).argmax(1)
    tally: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row, label in zip(rows, said, strict=True):
        for kind in (row["kind"], "all"):
            tally[kind, row["relation"]].append(LABELS[label] == row["relation"])
    return [
        {
            "kind": kind,
            "relation": relation,
            "right": sum(hits),
            "n": len(hits),
            "recall": sum(hits) / len(hits),
        }
        for (kind, relation), hits in sorted(tally.items())
    ]


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path)
    parser.add_argument("--entailment", default="embedded")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, help="write a reliability plot (SVG) here")
    asked = parser.parse_args()

    def say(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    model = load_entailment(asked.entailment, base=asked.base, warn=lambda text: say(text + "\n"))
    measured = [measure_set(model, asked.sets / name, say) for name in SETS if development(asked.sets / name)]
    sets = [figures for figures, _, _ in measured]
    if asked.plot:
        asked.plot.write_text(reliability_svg({f["set"]: found for f, found, _ in measured}), "utf-8")
    contrasts = measure_contrasts(model, say) if CONTRAST.exists() else []
    mean, floor = (float(np.mean([row[key] for row in sets])) for key in ("macro_f1", "floor"))
    low, high = interval(np.mean([scores for _, _, scores in measured], axis=0))
    if asked.json:
        means = {"mean": mean, "low": low, "high": high, "floor": floor}
        print(json.dumps({"sets": sets, **means, "contrasts": contrasts}, indent=1))
        return
    print(f"{'set':20} {'n':>5} {'macro-F1':>9} {'95 %':>13} {'accuracy':>9} {'floor':>6} {'ECE':>6}")
    for r in sets:
        print(
            f"{r['set']:20} {r['n']:5} {r['macro_f1']:9.3f} {r['low']:6.3f}–{r['high']:.3f} {r['accuracy']:9.3f} "
            f"{r['floor']:6.3f} {r['ece']:6.3f}"
        )
    print(f"{'mean':20} {'':5} {mean:9.3f} {low:6.3f}–{high:.3f} {'':9} {floor:6.3f}")
    print(f"\n{'minimal pairs':14} {'relation':14} {'recall':>7}")
    for r in contrasts:
        print(f"{r['kind']:14} {r['relation']:14} {r['recall']:7.2f}  {r['right']}/{r['n']}")


if __name__ == "__main__":
    main()
