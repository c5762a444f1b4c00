"""Card of a trained adapter: data, hyperparameters, figures on left-out sets."""

from collections.abc import Mapping, Sequence
from typing import Any

from medassay.models.nli.language_model.training.sets import LABELS


def figures(gold: Sequence[int], shares: Sequence[Sequence[float]], n_rows: int) -> dict[str, Any]:
    """Return macro-F1 and accuracy of the most probable letters, over the labels that the set has.

    Where nobody said which of B and C is right, both are "not entailment".
    """
    import numpy as np
    from sklearn.metrics import f1_score

    right, said = np.array(gold), np.array(shares).argmax(axis=1)
    if 3 in gold:
        right, said = np.where(right == 0, 0, 3), np.where(said == 0, 0, 3)
    found = np.unique(right)
    macro = f1_score(right, said, labels=found, average="macro", zero_division=0.0)
    return {
        "macro_f1": round(float(macro), 4),
        "accuracy": round(float((right == said).mean()), 4),
        "labels": [LABELS[label] for label in found],
        "n_measured": len(gold),
        "n_rows": n_rows,
    }


def in_words(card: Mapping[str, Any]) -> str:
    """Write a card as Markdown."""
    how = card["training"]
    lines = [
        "# Reader adapter",
        "",
        "Trained by `medassay train reader`. Of a passage and a statement it says: the passage says so (A), it says",
        "otherwise (B) or neither (C). Research use.",
        "",
        "## Base and adapter",
        "",
        f"- base: {card['base']['name']}, sha256 `{card['base']['sha256']}`",
        *(f"- `{name}`: sha256 `{sha256}`" for name, sha256 in card["adapter_sha256"].items()),
        f"- prompt: `{card['prompt']!r}`",
        "",
        "## Data",
        "",
        "| set | licence | rows in its files | trained on | times |",
        "|---|---|---|---|---|",
        *(
            f"| {one['name']} | {one['licence'] or 'none stated'} | {one['n_rows']:,} |"
            f" {one['n_trained']:,} | {one['times'] if one['n_trained'] else one['why_not']} |"
            for one in card["sets"]
        ),
        "",
        "## Settings",
        "",
        *(f"- {name.replace('_', ' ')}: {value}" for name, value in how.items()),
        "",
        "## Sets left out of training as a whole",
        "",
    ]
    if not card["left_out"]:
        return "\n".join(
            [*lines, "None: how good this adapter is on data that it has not seen was not measured.", ""]
        )
    lines += [
        "| set | macro-F1 | accuracy | pairs measured | of | measured with |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {one['macro_f1']:.3f} | {one['accuracy']:.3f} | {one['n_measured']:,} | {one['n_rows']:,} |"
        f" {one['measured_with']} |"
        for name, one in card["left_out"].items()
    ]
    mean = sum(one["macro_f1"] for one in card["left_out"].values()) / len(card["left_out"])
    return "\n".join([*lines, f"| mean | {mean:.3f} | | | | |", ""])
